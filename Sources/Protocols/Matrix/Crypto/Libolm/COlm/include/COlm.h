#pragma once
#include <olm/olm.h>
#include <olm/pk.h>
#include <olm/sas.h>

/* Loads libolm when it isn't there yet; null, or why that can't be done, until this thread's next call.
   Before it has succeeded nothing of the library may be called. Callable from any thread, and again after a failure. */
const char *COlm_load(void);
