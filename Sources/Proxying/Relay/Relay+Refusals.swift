import Framing
import Wire

extension Relay {
    /// Answers a client that is not served, whatever it asks for; these bytes of it came so far.
    mutating func refuse(
        _ refusal: Refusal, _ bytes: [UInt8], _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        record(.warning, leg: clientLeg.id, at: at, says: refusal.says, &commands)
        if !bytes.isEmpty {
            recordChunk(
                bytes[...], patches: [], leg: clientLeg.id, sender: .client, at: at, &commands)
        }
        guard bytes.first.map(StartOfStream.isTLS) != true else {
            // An answer could only be read after a handshake, which needs what there is too little of.
            phase = .closed
            commands.append(.close(clientLeg.id, isReset: false))
            return
        }
        answer(
            refusal.status, refusal.phrase, "tapedeck: \(refusal.says)", at, &commands)
    }
}
