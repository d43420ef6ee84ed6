// Written by make_samples.py.
#include "CSamples.h"

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char sample_0[] = {
#embed "gifs/bouncing-ball.gif"
};
static const unsigned char sample_1[] = {
#embed "gifs/cat-sleep-good-night.gif"
};
static const unsigned char sample_2[] = {
#embed "gifs/cat-waving-hello-hi.gif"
};
static const unsigned char sample_3[] = {
#embed "gifs/coffee-good-morning.gif"
};
static const unsigned char sample_4[] = {
#embed "gifs/dog-happy-tail-wag.gif"
};
static const unsigned char sample_5[] = {
#embed "gifs/loading-spinner-wait.gif"
};
static const unsigned char sample_6[] = {
#embed "gifs/lol-laughing-happy-funny.gif"
};
static const unsigned char sample_7[] = {
#embed "gifs/no-nope-shaking-head.gif"
};
static const unsigned char sample_8[] = {
#embed "gifs/party-confetti-celebrate.gif"
};
static const unsigned char sample_9[] = {
#embed "gifs/party-dance-dancing-people.gif"
};
static const unsigned char sample_10[] = {
#embed "gifs/rainbow-happy-hope.gif"
};
static const unsigned char sample_11[] = {
#embed "gifs/rocket-launch-ship-it-go.gif"
};
static const unsigned char sample_12[] = {
#embed "gifs/sad-rain-cry-cloud.gif"
};
static const unsigned char sample_13[] = {
#embed "gifs/snow-winter-christmas.gif"
};
static const unsigned char sample_14[] = {
#embed "gifs/thanks-thank-you-heart-love.gif"
};
static const unsigned char sample_15[] = {
#embed "gifs/thumbs-down-no-bad.gif"
};
static const unsigned char sample_16[] = {
#embed "gifs/thumbs-up-yes-ok-good.gif"
};
static const unsigned char sample_17[] = {
#embed "gifs/wow-fireworks-congratulations.gif"
};

#pragma clang diagnostic pop

static const gifbot_sample samples[] = {
    {"bouncing-ball.gif", sample_0, sizeof sample_0},
    {"cat-sleep-good-night.gif", sample_1, sizeof sample_1},
    {"cat-waving-hello-hi.gif", sample_2, sizeof sample_2},
    {"coffee-good-morning.gif", sample_3, sizeof sample_3},
    {"dog-happy-tail-wag.gif", sample_4, sizeof sample_4},
    {"loading-spinner-wait.gif", sample_5, sizeof sample_5},
    {"lol-laughing-happy-funny.gif", sample_6, sizeof sample_6},
    {"no-nope-shaking-head.gif", sample_7, sizeof sample_7},
    {"party-confetti-celebrate.gif", sample_8, sizeof sample_8},
    {"party-dance-dancing-people.gif", sample_9, sizeof sample_9},
    {"rainbow-happy-hope.gif", sample_10, sizeof sample_10},
    {"rocket-launch-ship-it-go.gif", sample_11, sizeof sample_11},
    {"sad-rain-cry-cloud.gif", sample_12, sizeof sample_12},
    {"snow-winter-christmas.gif", sample_13, sizeof sample_13},
    {"thanks-thank-you-heart-love.gif", sample_14, sizeof sample_14},
    {"thumbs-down-no-bad.gif", sample_15, sizeof sample_15},
    {"thumbs-up-yes-ok-good.gif", sample_16, sizeof sample_16},
    {"wow-fireworks-congratulations.gif", sample_17, sizeof sample_17},
};

const size_t gifbot_sample_count = sizeof samples / sizeof samples[0];

gifbot_sample gifbot_sample_at(size_t place) { return samples[place]; }
