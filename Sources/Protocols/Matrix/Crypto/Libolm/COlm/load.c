#include "COlm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

/* libolm comes with the C++ runtime, 2 MiB of memory that a bot without encrypted rooms has no use for. So the program isn't
   linked with it: it is loaded when the first object is made. Each function here has the name of one of the library's, and
   goes on to it. */

#define LAZY(result, name, parameters, arguments)                                                                      \
    static __typeof__(&name) slot_##name;                                                                              \
    result name parameters { return slot_##name arguments; }
#include "functions.h"
#undef LAZY

static const struct {
    const char *name;
    void **slot;
} functions[] = {
#define LAZY(result, name, parameters, arguments) {#name, (void **)&slot_##name},
#include "functions.h"
#undef LAZY
};

static const char *trouble;

static void load(void) {
    /* By the name of its binary interface: whichever release of it there is. */
    void *library = dlopen("libolm.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        trouble = dlerror();
        if (!trouble) trouble = "libolm.so.3 can't be loaded";
        return;
    }
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        *functions[index].slot = dlsym(library, functions[index].name);
        if (!*functions[index].slot) trouble = "libolm.so.3 is too old: a function is missing";
    }
}

const char *COlm_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return trouble;
}
