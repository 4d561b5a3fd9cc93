internal import Diagnosis
internal import Wire

extension FindingStep {
    /// Its row, the last word as `tapedeck show` takes it; nil where it is about none.
    var row: String? {
        if let command { return "command c\(command.rawValue)" }
        if let exchange { return "exchange \(exchange.rawValue)" }
        if let message { return "message m\(message.rawValue)" }
        return nil
    }
}
