internal import CPcap
internal import Platform

/// Packets of an interface while they pass.
///
/// One thread at a time may call it; another one may request the end through ``stop``. The buffer
/// of ``bufferBytes`` belongs to the kernel, which fills it in blocks: a packet is seen at most
/// ``latencyMilliseconds`` after it passed. Immediate delivery, which libpcap has too, would be
/// faster and drop more packets: there every packet takes a place of ``snapLength`` bytes, of which
/// 16 MiB have 63.
public final class LiveCapture {
    /// The maximum number of captured bytes of a packet: 262 144, as in tcpdump.
    public static let snapLength: Int32 = 262_144
    /// Bytes that the kernel keeps until they are read: 16 MiB.
    public static let bufferBytes: Int32 = 16 << 20
    /// How long the kernel keeps a block that is not full, in milliseconds: 20.
    public static let latencyMilliseconds: Int32 = 20
    /// How long ``next()`` waits for a packet before it returns ``Reading/nothingYet``, in
    /// milliseconds: 100.
    public static let patienceMilliseconds: Int32 = 100
    /// The number of consecutive ignored packets after which ``next()`` returns
    /// ``Reading/nothingYet``: 1 024.
    public static let maxIgnoredInARow = 1024

    /// How often it wakes up for nothing, by signals mostly, before that counts as waiting.
    private static let maxWakings = 16

    /// The interface.
    public let interface: String
    /// What its packets begin with.
    public let link: LinkType
    /// Requests the end, from any thread.
    public let stop: CaptureStop
    /// The outcome of the packets so far.
    public var counts: PacketCounts { decoder.counts }

    /// Receives every packet before it is parsed; default: nil.
    public var keep: ((CapturedPacket) -> Void)?

    private let handle: OpaquePointer
    private let nanosecondsPerTick: Int64
    private var decoder = PacketDecoder()
    private var isAtEnd = false
    private var total = CaptureStatistics()
    private var lastStatistics = pcap_stat()

    /// Opens an interface and begins to capture.
    ///
    /// - Parameters:
    ///   - interface: Its name as ``NetworkInterface`` gives it.
    ///   - expression: Which packets to capture, in the syntax of tcpdump; nil for all.
    ///   - isPromiscuous: Whether the card takes packets for other stations, too.
    ///   - stop: What requests the end.
    /// - Throws: ``CaptureError``: `notPermitted`, `noInterface`, `badExpression`.
    public init(
        interface: String, expression: String? = nil, isPromiscuous: Bool = false,
        stop: CaptureStop = CaptureStop()
    ) throws(CaptureError) {
        let handle = try Self.open(interface, isPromiscuous: isPromiscuous)
        do throws(CaptureError) {
            if let expression { try Self.choose(expression, handle) }
        } catch {
            pcap_close(handle)
            throw error
        }
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        guard pcap_setnonblock(handle, 1, &message) == 0 else {
            pcap_close(handle)
            throw CaptureError(
                .noInterface, "cannot capture on \(interface): \(LibpcapText.string(message))")
        }
        self.handle = handle
        self.interface = interface
        self.stop = stop
        link = LinkType(rawValue: UInt32(bitPattern: pcap_datalink(handle)))
        nanosecondsPerTick =
            pcap_get_tstamp_precision(handle) == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1000
    }

    deinit { pcap_close(handle) }

    /// Waits for the next segment.
    ///
    /// - Returns: ``Reading/nothingYet`` where none arrived for a time; nil after the end was
    ///   requested and all packets before it were returned.
    /// - Throws: ``CaptureError``: `noInterface` where the interface was removed or turned off.
    public func next() throws(CaptureError) -> Reading? {
        for _ in 0..<Self.maxIgnoredInARow {
            guard !isAtEnd else { return nil }
            guard let packet = try read() else { return end() }
            if let requested = stop.requestedAtUnixNanoseconds, packet.atUnixNanoseconds > requested
            {
                return end()
            }
            keep?(packet)
            if let segment = decoder.decode(packet) { return .segment(segment) }
        }
        return .nothingYet
    }

    /// The packets received and dropped so far, as reported by the kernel.
    public func statistics() -> CaptureStatistics {
        var now = pcap_stat()
        guard pcap_stats(handle, &now) == 0 else { return total }
        // These are 32 bits and start again at 0; differences do not.
        total.received += Int64(now.ps_recv &- lastStatistics.ps_recv)
        total.droppedByKernel += Int64(now.ps_drop &- lastStatistics.ps_drop)
        total.droppedByInterface += Int64(now.ps_ifdrop &- lastStatistics.ps_ifdrop)
        lastStatistics = now
        return total
    }

    /// The next packet; nil where none was received in time.
    private func read() throws(CaptureError) -> CapturedPacket? {
        var isLate = false
        for _ in 0..<Self.maxWakings {
            var header: UnsafeMutablePointer<pcap_pkthdr>?
            var data: UnsafePointer<UInt8>?
            let status = pcap_next_ex(handle, &header, &data)
            guard status >= 0 else {
                throw CaptureError(
                    .noInterface,
                    "cannot capture on \(interface) any more: \(LibpcapText.error(handle))")
            }
            if status == 1, let header, let data {
                return CapturedPacket(
                    link: link, header: header.pointee, data,
                    nanosecondsPerTick: nanosecondsPerTick)
            }
            guard !isLate else { return nil }
            var waiting = pollfd(
                fd: pcap_get_selectable_fd(handle), events: Int16(POLLIN), revents: 0)
            // A signal wakes it up early, while a block that is not full may still be on its way.
            isLate = poll(&waiting, 1, Self.patienceMilliseconds) == 0
        }
        return nil
    }

    /// What it means that no packet came, or none from before the end.
    private func end() -> Reading? {
        guard stop.requestedAtUnixNanoseconds != nil else { return .nothingYet }
        isAtEnd = true
        decoder.finish()
        return nil
    }

    private static func open(
        _ interface: String, isPromiscuous: Bool
    ) throws(CaptureError) -> OpaquePointer {
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        guard let handle = pcap_create(interface, &message) else {
            throw CaptureError(
                .noInterface, "cannot capture on \(interface): \(LibpcapText.string(message))")
        }
        pcap_set_snaplen(handle, snapLength)
        pcap_set_promisc(handle, isPromiscuous ? 1 : 0)
        pcap_set_buffer_size(handle, bufferBytes)
        pcap_set_timeout(handle, latencyMilliseconds)
        pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO)
        let status = pcap_activate(handle)
        // Above 0 are warnings, such as an interface that cannot be promiscuous.
        guard status < 0 else { return handle }
        let detail = LibpcapText.error(handle)
        pcap_close(handle)
        switch status {
        case PCAP_ERROR_PERM_DENIED, PCAP_ERROR_PROMISC_PERM_DENIED:
            throw CaptureError(
                .notPermitted,
                "may not capture on \(interface): that needs the capability CAP_NET_RAW; run it with "
                    + "sudo, or once: sudo setcap cap_net_raw+ep PROGRAM")
        case PCAP_ERROR_NO_SUCH_DEVICE:
            throw CaptureError(
                .noInterface, "there is no interface \(interface); --list shows the interfaces")
        case PCAP_ERROR_IFACE_NOT_UP:
            throw CaptureError(
                .noInterface, "\(interface) is turned off; ip link set \(interface) up turns it on")
        default:
            let reason = detail.isEmpty ? String(cString: pcap_statustostr(status)) : detail
            throw CaptureError(.noInterface, "cannot capture on \(interface): \(reason)")
        }
    }

    /// Installs the expression as a filter in the kernel.
    private static func choose(
        _ expression: String, _ handle: OpaquePointer
    ) throws(CaptureError) {
        var program = bpf_program()
        guard pcap_compile(handle, &program, expression, 1, UInt32.max) == 0 else {
            throw CaptureError(
                .badExpression,
                "cannot parse the expression \"\(expression)\": \(LibpcapText.error(handle)); see "
                    + "the manual page pcap-filter(7)")
        }
        defer { pcap_freecode(&program) }
        guard pcap_setfilter(handle, &program) == 0 else {
            throw CaptureError(
                .badExpression,
                "cannot use the expression \"\(expression)\": \(LibpcapText.error(handle))")
        }
    }
}
