#pragma once
#include <stddef.h>

/// One animated GIF of the sample collection; the bytes last as long as the program.
struct gifbot_sample {
    const char *name;
    const unsigned char *bytes;
    size_t length;
};
typedef struct gifbot_sample gifbot_sample;

extern const size_t gifbot_sample_count;

/// `place` is below `gifbot_sample_count`.
gifbot_sample gifbot_sample_at(size_t place);
