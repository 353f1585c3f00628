/* SPDX-License-Identifier: Apache-2.0
 *
 * Extension "tools" of the Headroom adapter ABI: questions that need no instance, such as to assemble a program.
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

  /* A JSON object in, a JSON object out, by the calling convention of `describe`. The answer depends on the question
   * alone. A wrong question is answered with {"error": "a sentence"}. `describe` lists the tools under "tools". */
  size_t (*ask)(const char *request_json, char *json, size_t capacity);
} headroom_tools;

#ifdef __cplusplus
}
#endif

#endif /* HEADROOM_ABI_HEADROOM_TOOLS_H */
