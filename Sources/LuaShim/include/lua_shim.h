#ifndef LUA_SHIM_H
#define LUA_SHIM_H

#include <stddef.h>
#include <stdint.h>

// Lua reports errors with longjmp, which must not pass frames of Swift: everything that can fail is called
// from here, in protected mode, and Swift is called back only where Lua cannot raise an error.

typedef struct shim_lua shim_lua;

// What a script asks Swift for. The answers of `on`, `field` and `say` come through `shim_lua_put`.
typedef struct {
    void *context;
    // A subscription as JSON; its number from 0, or -1 with a message.
    int64_t (*on)(void *context, const char *json, size_t size);
    // A member of the event, as `shim_lua_put` has it; 0 where there is none.
    int (*field)(void *context, const char *name, size_t size);
    // A line of the protocol without its content, and the content; 0, or -1 with a message.
    int (*say)(void *context, const char *line, size_t size, const char *content, size_t content_size);
    // A line for people.
    void (*print)(void *context, const char *text, size_t size);
} shim_lua_calls;

// A state with the safe libraries; NULL without memory. `memory` is in bytes, `instructions` are those of one call.
shim_lua *shim_lua_new(size_t memory, int64_t instructions, shim_lua_calls calls);
void shim_lua_close(shim_lua *lua);

// Runs a script, which subscribes; 0, or -1 with a message.
int shim_lua_load(shim_lua *lua, const char *source, size_t size, const char *name);
// Calls the functions of subscriptions with the current event; 0, or -1 with a message.
int shim_lua_judge(shim_lua *lua, const int64_t *subscriptions, size_t count);
// Calls the functions for the end; 0, or -1 with a message.
int shim_lua_end(shim_lua *lua);
// The message of the last failure.
const char *shim_lua_message(shim_lua *lua, size_t *size);

// Gives an answer to the call in progress: a message, or a value: n, i and 8 bytes, s with 4 bytes of size, l and
// o with 4 bytes of count and their values, names before values. Numbers are in the order of this machine.
void shim_lua_put(shim_lua *lua, const uint8_t *bytes, size_t size);

#endif
