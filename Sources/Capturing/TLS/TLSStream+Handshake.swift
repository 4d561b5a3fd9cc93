internal import Wire

/// What the messages of the handshake change.
extension TLSStream {
    /// Handles a message that was not encrypted.
    mutating func readPlain(
        _ message: TLSHandshakeReader.Message, _ sender: Peer, _ at: Int64
    ) {
        switch (sender, message.type) {
        case (.client, TLSHandshakeReader.clientHello): readClientHello(message.body, at)
        case (.server, TLSHandshakeReader.serverHello) where serverHello == nil:
            readServerHello(message.body, at)
        case (.server, TLSHandshakeReader.clientHello) where serverHello == nil:
            note(sender, at, "the server sent a client's hello: client and server are confused")
            loseHello(sender)
        default: loseHello(sender)
        }
    }

    /// Handles a message that was encrypted.
    mutating func readEncrypted(
        _ message: TLSHandshakeReader.Message, _ sender: Peer, _ at: Int64
    ) {
        if isVersion13 {
            switch message.type {
            case TLSHandshakeReader.encryptedExtensions where sender == .server:
                var cursor = TLSCursor(message.body[...])
                let extensions = cursor.extensions() ?? [:]
                facts.applicationProtocol =
                    TLSCursor.protocols(extensions[TLSExtension.protocols]).first
                if facts.offersEarlyData {
                    facts.takesEarlyData =
                        !facts.wasRetried && extensions[TLSExtension.earlyData] != nil
                }
                facts.isComplete = true
                announce(at)
            case TLSHandshakeReader.finished where self[sender].phase == .handshake:
                change(sender, to: .application)
            case TLSHandshakeReader.keyUpdate where self[sender].phase == .application:
                self[sender].opener = self[sender].opener?.updated
            default: break
            }
        } else if message.type == TLSHandshakeReader.clientHello {
            stop = .renegotiated
            note(sender, at, "the two sides renegotiate; what follows is not decrypted")
        }
    }

    /// Notes that no hello of `sender` will come, unless it came already.
    mutating func loseHello(_ sender: Peer) {
        let isThere = sender == .client ? clientHello != nil : serverHello != nil
        if !isThere { self[sender].isHelloLost = true }
        // The second one has nothing that the first did not have.
        if sender == .client { awaitsSecondHello = false }
    }

    /// Continues with other keys.
    mutating func change(_ sender: Peer, to phase: TLSSide.Phase) {
        self[sender].phase = phase
        self[sender].opener = nil
        self[sender].passed = 0
        self[sender].skipped = 0
    }

    /// Reports oddities.
    mutating func note(_ sender: Peer, _ at: Int64, _ detail: String) {
        emit(.note(sender: sender, atUnixNanoseconds: at, detail))
    }

    /// Takes the first or second message of the client.
    private mutating func readClientHello(_ body: [UInt8], _ at: Int64) {
        guard let hello = TLSClientHello(body) else {
            note(.client, at, "the client's hello is cut short, or of more than 65536 bytes")
            return loseHello(.client)
        }
        // A second one that the server did not request is not part of this handshake.
        guard clientHello == nil || awaitsSecondHello else { return }
        clientHello = hello
        awaitsSecondHello = false
        facts.serverName = hello.serverName
        facts.offeredProtocols = hello.protocols
        facts.offersEarlyData = facts.offersEarlyData || hello.offersEarlyData
        facts.hasEncryptedHello = hello.hasEncryptedHello
    }

    /// Takes what the server chose.
    private mutating func readServerHello(_ body: [UInt8], _ at: Int64) {
        guard let hello = TLSServerHello(body) else {
            note(.server, at, "the server's hello is cut short")
            return loseHello(.server)
        }
        guard !hello.isRetryRequest else {
            facts.wasRetried = true
            awaitsSecondHello = clientHello != nil
            return
        }
        serverHello = hello
        awaitsSecondHello = false
        suite = TLSCipherSuite(hello.suite)
        facts.version = hello.version
        facts.suite = hello.suite
        if hello.version < 0x0303 || hello.version > 0x0304 {
            stop = .unsupported(TLSFacts.name(version: hello.version))
        } else if hello.isCompressed {
            stop = .unsupported("compressed TLS")
        } else if suite == nil {
            stop = .unsupported(TLSCipherSuite.name(hello.suite))
        }
        guard !isVersion13 else {
            facts.isResumed = hello.takesPreSharedKey
            for peer in Peer.allCases { change(peer, to: .handshake) }
            return
        }
        facts.applicationProtocol = hello.applicationProtocol
        facts.isComplete = true
        // A server that resumes a session repeats its identifier (RFC 5246, 7.3; RFC 5077, 3.4).
        facts.isResumed = !hello.sessionID.isEmpty && hello.sessionID == clientHello?.sessionID
        announce(at)
    }
}
