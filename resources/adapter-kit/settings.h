/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a JSON configuration key by key. The first mistake ends as a sentence in `error`; `good` is 0 from then on. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
  const char *object;
  char *error;
  size_t capacity;
  int good;
} settings;

static inline const char *json_space(const char *at) { return at + strspn(at, " \t\r\n"); }

/* The end of the value that begins here; NULL: it is none. */
static inline const char *json_end(const char *at, int depth) {
  static const char *const words[] = {"true", "false", "null"};
  if (*at == '"') {
    for (++at; *at != '"'; ++at)
      if ((unsigned char)*at < ' ' || (*at == '\\' && *++at == '\0')) return NULL;
    return at + 1;
  }
  if (*at == '{' || *at == '[') {
    const char close = *at == '{' ? '}' : ']';
    at = json_space(at + 1);
    if (*at == close) return at + 1;
    for (;; at = json_space(at + 1)) {
      if (depth == 0) return NULL;
      if (close == '}') {
        if (*at != '"' || (at = json_end(at, depth - 1)) == NULL || *(at = json_space(at)) != ':') return NULL;
        at = json_space(at + 1);
      }
      if ((at = json_end(at, depth - 1)) == NULL) return NULL;
      at = json_space(at);
      if (*at == close) return at + 1;
      if (*at != ',') return NULL;
    }
  }
  for (size_t i = 0; i < 3; ++i)
    if (strncmp(at, words[i], strlen(words[i])) == 0) return at + strlen(words[i]);
  const size_t length = strspn(at, "-+.0123456789eE");
  return length == 0 ? NULL : at + length;
}

/* The value behind a key of an object; NULL: there is none. `next` gets what is behind it, "}" at the end. */
static inline const char *json_member(const char *at, const char **key, size_t *length, const char **next) {
  at = json_space(at + 1); /* behind "{" or "," */
  if (*at != '"') return NULL;
  *key = at + 1;
  at = json_end(at, 0);
  *length = (size_t)(at - *key) - 1;
  at = json_space(json_space(at) + 1);
  *next = json_space(json_end(at, 64));
  return at;
}

static inline const char *settings_find(const settings *s, const char *name) {
  const char *key, *next = s->object;
  size_t length;
  for (const char *value; s->good && *next != '}' && (value = json_member(next, &key, &length, &next)) != NULL;)
    if (length == strlen(name) && memcmp(key, name, length) == 0) return value;
  return NULL;
}

/* `right`: what the value must be, or words between spaces, of which it must be one. */
static inline void settings_fail(settings *s, const char *key, const char *right) {
  const int spaces = *right == ' ', length = (int)strlen(right) - 2 * spaces;
  if (s->good && s->capacity != 0)
    snprintf(s->error, s->capacity, "\"%s\" in the configuration must be %s%.*s", key, spaces ? "one of: " : "", length,
             right + spaces);
  s->good = 0;
}

static inline settings settings_open(const char *json, char *error, size_t capacity) {
  settings s = {json == NULL ? "" : json_space(json), error, capacity, 1};
  const char *end = *s.object == '{' ? json_end(s.object, 64) : NULL;
  if (end != NULL && *json_space(end) == '\0') return s;
  if (capacity != 0) snprintf(error, capacity, "the configuration is no JSON object");
  s.good = 0;
  return s;
}

static inline uint64_t settings_number(settings *s, const char *key, uint64_t low, uint64_t high, uint64_t missing) {
  const char *value = settings_find(s, key);
  if (value == NULL) return missing;
  char *end, right[64];
  const uint64_t number = strtoull(value, &end, 10);
  if (*value >= '0' && *value <= '9' && end == json_end(value, 0) && number >= low && number <= high) return number;
  snprintf(right, sizeof right, "a whole number from %llu to %llu", (unsigned long long)low, (unsigned long long)high);
  settings_fail(s, key, right);
  return missing;
}

/* True if a string is one of some words, which stand between spaces: " a b ". */
static inline int json_is_word(const char *value, const char *words) {
  const char *end = json_end(value, 0), *at = words;
  const size_t length = end == NULL || *value != '"' ? 0 : (size_t)(end - value) - 2;
  for (; length != 0 && at[1] != '\0'; at = strchr(at + 1, ' '))
    if (strcspn(at + 1, " ") == length && memcmp(at + 1, value + 1, length) == 0) return 1;
  return 0;
}

/* A string that is one of some words, the first where the key is missing. */
static inline int settings_is(settings *s, const char *key, const char *words, const char *word) {
  const char *value = settings_find(s, key);
  if (value != NULL && !json_is_word(value, words)) settings_fail(s, key, words);
  char alone[64];
  snprintf(alone, sizeof alone, " %s ", word);
  return value != NULL ? json_is_word(value, alone) : strncmp(words + 1, word, strlen(word)) == 0;
}

/* A list of such strings. */
static inline void settings_some(settings *s, const char *key, const char *words) {
  const char *at = settings_find(s, key);
  if (at == NULL) return;
  if (*at != '[') {
    settings_fail(s, key, "a list");
    return;
  }
  for (at = json_space(at + 1); *at != ']'; at = json_space(*at == ',' ? at + 1 : at)) {
    if (!json_is_word(at, words)) settings_fail(s, key, words);
    at = json_space(json_end(at, 64));
  }
}

static inline void settings_boolean(settings *s, const char *key) {
  const char *value = settings_find(s, key);
  if (value != NULL && *value != 't' && *value != 'f') settings_fail(s, key, "true or false");
}

/* `options` that an adapter has none of: a key in it is a mistake, while unknown keys beside it are ignored. */
static inline void settings_no_options(settings *s) {
  const char *value = settings_find(s, "options");
  if (value != NULL && (*value != '{' || *json_space(value + 1) != '}'))
    settings_fail(s, "options", "an object without keys");
}

/* Refuses keys that are not among some words, which stand between spaces. */
static inline void settings_only(settings *s, const char *words) {
  const char *key, *next = s->object;
  size_t length;
  while (s->good && *next != '}' && json_member(next, &key, &length, &next) != NULL) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", length < 60 ? (int)length : 60, key);
    if (strstr(words, name) == NULL || length == 0) settings_fail(s, name, "left out");
  }
}

#endif
