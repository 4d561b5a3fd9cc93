#include "lua_shim.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

// Instructions between two looks at the count.
#define SHIM_STEP 1000

struct shim_lua {
    lua_State *state;
    size_t memory, used;
    int64_t instructions, left;
    shim_lua_calls calls;
    uint8_t *put;
    size_t put_size, put_room;
};

// What a script has besides the libraries.
static const char PRELUDE[] =
    "local subscribe, field, say, show = ...\n"
    "local handlers, endings, Event = {}, {}, {}\n"
    "local setmetatable, rawget, type, error = setmetatable, rawget, type, error\n"
    "local tostring, pairs, format, mtype = tostring, pairs, string.format, math.type\n"
    "local gsub, byte, concat, select = string.gsub, string.byte, table.concat, select\n"
    "local raw = setmetatable\n"
    "function _G.setmetatable(value, meta)\n"
    "  if type(meta) == 'table' and rawget(meta, '__gc') ~= nil then error('__gc is not allowed', 2) end\n"
    "  return raw(value, meta)\n"
    "end\n"
    "local function quoted(text)\n"
    "  return '\"' .. gsub(text, '[%c\"\\\\]', function(c) return format('\\\\u%04x', byte(c)) end) .. '\"'\n"
    "end\n"
    "local null = {}\n"
    "local function encode(value, depth)\n"
    "  local kind = type(value)\n"
    "  if value == null or value == nil then return 'null' end\n"
    "  if kind == 'string' then return quoted(value) end\n"
    "  if kind == 'boolean' then return tostring(value) end\n"
    "  if kind == 'number' then\n"
    "    if mtype(value) == 'integer' then return tostring(value) end\n"
    "    if value ~= value or value == 1/0 or value == -1/0 then error('not a number of JSON', 0) end\n"
    "    return format('%.17g', value)\n"
    "  end\n"
    "  if kind ~= 'table' then error('a ' .. kind .. ' is not JSON', 0) end\n"
    "  if depth > 30 then error('nested too deep for JSON', 0) end\n"
    "  local parts = {}\n"
    "  if #value > 0 then\n"
    "    for place = 1, #value do parts[place] = encode(value[place], depth + 1) end\n"
    "    return '[' .. concat(parts, ',') .. ']'\n"
    "  end\n"
    "  for name, item in pairs(value) do\n"
    "    parts[#parts + 1] = quoted(tostring(name)) .. ':' .. encode(item, depth + 1)\n"
    "  end\n"
    "  return '{' .. concat(parts, ',') .. '}'\n"
    "end\n"
    "local function content(value)\n"
    "  if type(value) == 'table' then return encode(value, 0) end\n"
    "  if value ~= nil then return tostring(value) end\n"
    "end\n"
    "local function verdict(name, value, options)\n"
    "  local line = {verdict = name}\n"
    "  for key, item in pairs(options or {}) do line[key] = item end\n"
    "  local problem = say(encode(line, 0), content(value))\n"
    "  if problem then error(problem, 3) end\n"
    "end\n"
    "function Event.edit(_, value, options) verdict('edit', value, options) end\n"
    "function Event.answer(_, status, value, headers)\n"
    "  verdict('answer', value, {status = status or 200, headers = headers})\n"
    "end\n"
    "function Event.drop() verdict('drop') end\n"
    "function Event.delay(_, seconds) verdict('delay', nil, {milliseconds = math.floor(seconds * 1000 + 0.5)}) end\n"
    "function Event.send(_, value, to) verdict('send', value, {to = to or 'client'}) end\n"
    "function Event.mark(_, text) verdict('mark', nil, {text = text}) end\n"
    "function Event.note(_, text) verdict('note', nil, {text = text}) end\n"
    "local event = raw({}, {__index = function(_, name) return Event[name] or field(name) end, __metatable = false})\n"
    "function on(filter, options, handler)\n"
    "  if handler == nil then options, handler = {}, options end\n"
    "  if type(options) == 'string' then options = {options} end\n"
    "  if type(handler) ~= 'function' then error('on() needs a function', 2) end\n"
    "  local line = {filter = filter, watch = options.watch or false}\n"
    "  if #options > 0 then line.kinds = {table.unpack(options)} end\n"
    "  local number, problem = subscribe(encode(line, 0))\n"
    "  if not number then error(problem, 2) end\n"
    "  handlers[number] = handler\n"
    "end\n"
    "function on_end(handler) endings[#endings + 1] = handler end\n"
    "function mark(text) verdict('mark', nil, {text = text}) end\n"
    "function note(text) verdict('note', nil, {text = text}) end\n"
    "function print(...)\n"
    "  local parts = {}\n"
    "  for place = 1, select('#', ...) do parts[place] = tostring((select(place, ...))) end\n"
    "  show(concat(parts, '\\t'))\n"
    "end\n"
    "json = {encode = function(value) return encode(value, 0) end, null = null}\n"
    "return function(number, ...)\n"
    "  if number < 0 then\n"
    "    for place = 1, #endings do endings[place]() end\n"
    "    return\n"
    "  end\n"
    "  handlers[number](event)\n"
    "  for place = 1, select('#', ...) do handlers[select(place, ...)](event) end\n"
    "end\n";

static void *allocate(void *context, void *old, size_t old_size, size_t new_size) {
    shim_lua *lua = context;
    if (old == NULL) old_size = 0;
    if (new_size == 0) {
        free(old);
        lua->used -= old_size;
        return NULL;
    }
    if (new_size > old_size && lua->used + (new_size - old_size) > lua->memory) return NULL;
    void *made = realloc(old, new_size);
    if (made != NULL) lua->used += new_size - old_size;
    return made;
}

static shim_lua *of(lua_State *state) {
    return *(shim_lua **)lua_getextraspace(state);
}

static void count(lua_State *state, lua_Debug *debug) {
    (void)debug;
    shim_lua *lua = of(state);
    lua->left -= SHIM_STEP;
    if (lua->left > 0) return;
    // What catches the error gets it again at its next instruction.
    lua_sethook(state, count, LUA_MASKCOUNT, 1);
    luaL_error(state, "more than %d instructions", (int)lua->instructions);
}

static int subscribe(lua_State *state) {
    shim_lua *lua = of(state);
    size_t size;
    const char *json = luaL_checklstring(state, 1, &size);
    lua->put_size = 0;
    int64_t number = lua->calls.on(lua->calls.context, json, size);
    if (number >= 0) {
        lua_pushinteger(state, number);
        return 1;
    }
    lua_pushnil(state);
    lua_pushlstring(state, (const char *)lua->put, lua->put_size);
    return 2;
}

// Pushes a value of what was put, from an offset, and returns the offset behind it.
static size_t push(lua_State *state, shim_lua *lua, size_t at, int depth) {
    if (at >= lua->put_size || depth > 32) return luaL_error(state, "a value is not complete");
    luaL_checkstack(state, 4, "nested too deep");
    uint8_t kind = lua->put[at++];
    int64_t number;
    uint32_t size;
    switch (kind) {
    case 'n': lua_pushnil(state); return at;
    case 'i':
        if (at + 8 > lua->put_size) break;
        memcpy(&number, lua->put + at, 8);
        lua_pushinteger(state, number);
        return at + 8;
    case 's':
        if (at + 4 > lua->put_size) break;
        memcpy(&size, lua->put + at, 4);
        if (at + 4 + size > lua->put_size) break;
        lua_pushlstring(state, (const char *)lua->put + at + 4, size);
        return at + 4 + size;
    case 'l':
    case 'o':
        if (at + 4 > lua->put_size) break;
        memcpy(&size, lua->put + at, 4);
        at += 4;
        lua_newtable(state);
        for (uint32_t place = 1; place <= size; place++) {
            if (kind == 'o') {
                at = push(state, lua, at, depth + 1);
                at = push(state, lua, at, depth + 1);
                lua_rawset(state, -3);
            } else {
                at = push(state, lua, at, depth + 1);
                lua_rawseti(state, -2, place);
            }
        }
        return at;
    default: break;
    }
    return luaL_error(state, "a value is not complete");
}

static int field(lua_State *state) {
    shim_lua *lua = of(state);
    size_t size;
    const char *name = luaL_checklstring(state, 1, &size);
    lua->put_size = 0;
    if (!lua->calls.field(lua->calls.context, name, size)) return 0;
    push(state, lua, 0, 0);
    return 1;
}

static int say(lua_State *state) {
    shim_lua *lua = of(state);
    size_t size, content_size = 0;
    const char *line = luaL_checklstring(state, 1, &size);
    const char *content = lua_isnoneornil(state, 2) ? NULL : luaL_checklstring(state, 2, &content_size);
    lua->put_size = 0;
    if (lua->calls.say(lua->calls.context, line, size, content, content_size) == 0) return 0;
    lua_pushlstring(state, (const char *)lua->put, lua->put_size);
    return 1;
}

static int show(lua_State *state) {
    shim_lua *lua = of(state);
    size_t size;
    const char *text = luaL_checklstring(state, 1, &size);
    lua->calls.print(lua->calls.context, text, size);
    return 0;
}

// Opens what can neither reach files nor run on without being counted, and keeps the prelude's function at 1.
static int prepare(lua_State *state) {
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base}, {LUA_TABLIBNAME, luaopen_table}, {LUA_STRLIBNAME, luaopen_string},
        {LUA_MATHLIBNAME, luaopen_math}, {LUA_UTF8LIBNAME, luaopen_utf8}, {NULL, NULL}};
    static const char *const removed[] = {"dofile", "loadfile", "load", "collectgarbage", "warn", NULL};
    for (const luaL_Reg *library = libraries; library->name != NULL; library++) {
        luaL_requiref(state, library->name, library->func, 1);
        lua_pop(state, 1);
    }
    for (const char *const *name = removed; *name != NULL; name++) {
        lua_pushnil(state);
        lua_setglobal(state, *name);
    }
    lua_getglobal(state, "string");
    lua_pushnil(state);
    lua_setfield(state, -2, "dump");
    lua_pop(state, 1);
    if (luaL_loadbufferx(state, PRELUDE, sizeof PRELUDE - 1, "=prelude", "t") != LUA_OK) return lua_error(state);
    lua_pushcfunction(state, subscribe);
    lua_pushcfunction(state, field);
    lua_pushcfunction(state, say);
    lua_pushcfunction(state, show);
    lua_call(state, 4, 1);
    return 1;
}

// Keeps the message that is on the stack.
static int failed(shim_lua *lua) {
    size_t size = 0;
    const char *text = lua_tolstring(lua->state, -1, &size);
    lua->put_size = 0;
    if (text != NULL) shim_lua_put(lua, (const uint8_t *)text, size);
    lua_settop(lua->state, 1);
    return -1;
}

static void begin(shim_lua *lua) {
    lua->left = lua->instructions;
    lua_sethook(lua->state, count, LUA_MASKCOUNT, SHIM_STEP);
}

shim_lua *shim_lua_new(size_t memory, int64_t instructions, shim_lua_calls calls) {
    shim_lua *lua = calloc(1, sizeof *lua);
    if (lua == NULL) return NULL;
    lua->memory = memory;
    lua->instructions = instructions;
    lua->calls = calls;
    lua->state = lua_newstate(allocate, lua);
    if (lua->state == NULL) {
        free(lua);
        return NULL;
    }
    *(shim_lua **)lua_getextraspace(lua->state) = lua;
    begin(lua);
    lua_pushcfunction(lua->state, prepare);
    if (lua_pcall(lua->state, 0, 1, 0) != LUA_OK) {
        shim_lua_close(lua);
        return NULL;
    }
    return lua;
}

void shim_lua_close(shim_lua *lua) {
    lua_close(lua->state);
    free(lua->put);
    free(lua);
}

int shim_lua_load(shim_lua *lua, const char *source, size_t size, const char *name) {
    begin(lua);
    // Compiled code could do anything; text alone is read.
    if (luaL_loadbufferx(lua->state, source, size, name, "t") != LUA_OK) return failed(lua);
    if (lua_pcall(lua->state, 0, 0, 0) != LUA_OK) return failed(lua);
    return 0;
}

static int call(shim_lua *lua, const int64_t *numbers, size_t count_of_numbers) {
    begin(lua);
    if (!lua_checkstack(lua->state, (int)count_of_numbers + 8)) return -1;
    lua_pushvalue(lua->state, 1);
    for (size_t place = 0; place < count_of_numbers; place++) lua_pushinteger(lua->state, numbers[place]);
    if (lua_pcall(lua->state, (int)count_of_numbers, 0, 0) != LUA_OK) return failed(lua);
    return 0;
}

int shim_lua_judge(shim_lua *lua, const int64_t *subscriptions, size_t count_of_subscriptions) {
    return count_of_subscriptions == 0 ? 0 : call(lua, subscriptions, count_of_subscriptions);
}

int shim_lua_end(shim_lua *lua) {
    int64_t end = -1;
    return call(lua, &end, 1);
}

const char *shim_lua_message(shim_lua *lua, size_t *size) {
    *size = lua->put_size;
    return lua->put_size == 0 ? "" : (const char *)lua->put;
}

void shim_lua_put(shim_lua *lua, const uint8_t *bytes, size_t size) {
    if (size > lua->put_room) {
        uint8_t *room = realloc(lua->put, size);
        if (room == NULL) {
            lua->put_size = 0;
            return;
        }
        lua->put = room;
        lua->put_room = size;
    }
    if (size > 0) memcpy(lua->put, bytes, size);
    lua->put_size = size;
}
