internal import Notation
internal import Replaying
internal import Simperium

extension SimperiumServer {
    /// Begins with recorded buckets and tokens; for an unused server that has its seed.
    mutating func begin(with initial: InitialState) {
        tokens = initial.tokens
        takeAnyToken()
        for (id, held) in initial.buckets {
            let options = accounts.application(id.app)?.options(bucket: id.name)
            let bucket = ServerBucket(
                held, options ?? Self.usualOptions.bucket, ChangeVersions(seed: model.seed))
            model.seed &+= 2
            model.put(bucket, as: id)
        }
    }
}

extension SimperiumServer {
    /// Accepts tokens of any form where one that is known has another form than those of Simperium.
    mutating func takeAnyToken() {
        if !tokens.keys.allSatisfy(IdentifierGrammar.isToken) {
            model.options.checksTokens = false
        }
    }
}

extension ServerBucket {
    /// A bucket that goes on where a recorded one was.
    init(
        _ held: ServerHoldings.Bucket, _ options: BucketOptions, _ versions: ChangeVersions
    ) {
        self.init(
            name: held.name, options: options, versions: versions, objects: held.objects,
            cv: held.cv, log: held.log, logStart: held.logStart)
        // Not in the log: no way leads from them to what is there now.
        for change in held.known { know(change) }
        for refusal in held.refusals {
            guard let ccid = refusal.ccids.first, let code = refusal.error else { continue }
            refuse(client: refusal.clientID ?? "", ccid: ccid, code: code)
        }
    }
}
