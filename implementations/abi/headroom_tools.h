/* SPDX-License-Identifier: Apache-2.0
 *
 * Extension "tools" of the Headroom adapter ABI: requests that need no instance, such as to assemble a program.
 */
#ifndef HEADROOM_ABI_HEADROOM_TOOLS_H
#define HEADROOM_ABI_HEADROOM_TOOLS_H

#include "headroom.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEADROOM_TOOLS "tools"

typedef struct headroom_tools {
  uint32_t struct_size; /* sizeof(headroom_tools) of the header the adapter was compiled with */
  uint32_t reserved;    /* 0 */

  /* Answers the JSON object `request_json` with a JSON object, by the calling convention of `describe`. The answer
   * depends on the request alone. The answer to an invalid request is {"error": "a sentence"}. `describe` lists the
   * tools under "tools". */
  size_t (*ask)(const char *request_json, char *json, size_t capacity);
} headroom_tools;

#ifdef __cplusplus
}
#endif

#endif /* HEADROOM_ABI_HEADROOM_TOOLS_H */
