#include "COlm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

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

const char *COlm_load(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int is_loaded;
    /* dlerror's own text is gone with the next call of it. */
    static _Thread_local char trouble[200];
    const char *reason = NULL;
    pthread_mutex_lock(&lock);
    if (!is_loaded) {
        /* By the name of its binary interface: whichever release of it there is, and without the files for development. */
        void *library = dlopen("libolm.so.3", RTLD_NOW | RTLD_LOCAL);
        if (!library) reason = dlerror();
        for (size_t index = 0; library && index < sizeof functions / sizeof *functions; index++) {
            *functions[index].slot = dlsym(library, functions[index].name);
            if (!*functions[index].slot) reason = "libolm.so.3 is too old: a function is missing";
        }
        is_loaded = library && !reason;
        if (library && !is_loaded) dlclose(library);
        if (!is_loaded) snprintf(trouble, sizeof trouble, "%s", reason ? reason : "libolm.so.3 is not there");
    }
    int succeeded = is_loaded;
    pthread_mutex_unlock(&lock);
    return succeeded ? NULL : trouble;
}
