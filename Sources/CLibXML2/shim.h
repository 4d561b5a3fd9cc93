/* Debian's libxml2 shows ICU's headers to its users, and those clash with the copy in Foundation.
 * Only the private end of a structure that is never touched here depends on it. */
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/uri.h>
#include <libxml/xmlerror.h>

/* Bytes from the read position to the end of what was pushed. */
static inline long tapedeck_xml_unread(xmlParserCtxtPtr context) {
    if (context == NULL || context->input == NULL) return 0;
    return (long)(context->input->end - context->input->cur);
}

/* Bytes from the last '<' before the read position to the end of what was pushed.
 * While a tag is reported this is its own '<', since none may stand inside a tag. */
static inline long tapedeck_xml_from_tag(xmlParserCtxtPtr context) {
    if (context == NULL || context->input == NULL) return 0;
    const xmlChar *at = context->input->cur;
    const xmlChar *end = context->input->end;
    if (at <= context->input->base) return (long)(end - at);
    at--;
    while (at > context->input->base && *at != '<') at--;
    return (long)(end - at);
}
