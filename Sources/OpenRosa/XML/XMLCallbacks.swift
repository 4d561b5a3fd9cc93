import CLibXML2

/// libxml2's callbacks, each of which only finds its stream again.
enum XMLCallbacks {
    /// The table for libxml2: no entities, no declarations, no output.
    static var table: xmlSAXHandler {
        var table = xmlSAXHandler()
        table.initialized = XML_SAX2_MAGIC
        table.startElementNs = start
        table.endElementNs = end
        table.characters = text
        // The same function for both, or libxml2 would scan all white space twice.
        table.ignorableWhitespace = text
        table.cdataBlock = text
        table.comment = comment
        table.processingInstruction = instruction
        table.serror = fault
        return table
    }

    private static func stream(_ context: UnsafeMutableRawPointer?) -> XMLStream? {
        // Safety: set by the stream, which outlives its parser.
        let stream = context.map { Unmanaged<XMLStream>.fromOpaque($0).takeUnretainedValue() }
        return stream?.isRepeating == true ? nil : stream
    }

    private static let start: startElementNsSAX2Func = {
        context, local, prefix, namespace, declared, _, count, _, attributes in
        guard let local else { return }
        stream(context)?.starts(
            local, prefix, namespace, declared: Int(declared), count: Int(count), attributes)
    }

    private static let end: endElementNsSAX2Func = { context, local, prefix, namespace in
        guard let local else { return }
        stream(context)?.ends(local, prefix, namespace)
    }

    private static let text: charactersSAXFunc = { context, bytes, count in
        stream(context)?.gather(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    private static let comment: commentSAXFunc = { context, bytes in
        guard let bytes else { return }
        stream(context)?.comment(bytes)
    }

    private static let instruction: processingInstructionSAXFunc = { context, target, data in
        guard let target else { return }
        stream(context)?.instruction(target, data)
    }

    private static let fault: xmlStructuredErrorFunc = { context, error in
        guard let error = error?.pointee else { return }
        stream(context)?.found(
            domain: error.domain, code: error.code, isFatal: error.level == XML_ERR_FATAL,
            detail: error.message)
    }
}
