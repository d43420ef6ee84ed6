#pragma once
#include <olm/olm.h>
#include <olm/pk.h>
#include <olm/sas.h>

/* Loads libolm when it isn't there yet; null, or why that can't be done. Before it nothing of the library may be called.
   Callable from any thread. */
const char *COlm_load(void);
