// Written by Tools/topics from the documents; do not edit.

extension HelpTopic {
    /// All topics, sorted by name.
    static let all = [
        HelpTopic(
            name: "certificates", about: "trusting our certificates, verifying servers'",
            text: #"""
                ## ca

                `tapedeck ca` prints the certificate of the authority as PEM and creates it on first use; name, fingerprint and folder
                go to standard error. `--pem FILE` and `--der FILE` write files instead. `--ca-dir DIR` names the folder,
                `--help-for PLATFORM` prints the steps with which `android`, `ios`, `java`, `curl`, `python`, `node` or `firefox` trusts it
                and uses the proxy, and no certificate. A device that uses `record` as its proxy gets it at `http://tapedeck/`, as `ca.crt` (DER),
                `ca.pem` and `ca.mobileconfig`. The folder is by default `tapedeck` under `$XDG_DATA_HOME` or `~/.local/share`; where neither `XDG_DATA_HOME` nor `HOME` is an
                absolute path, it has to be given. The key in it is readable by its owner only; one that others may read, or that is a
                symbolic link, is refused.

                ### Certificates of servers

                A server's certificate has to name the host that is asked for in its subjectAltName (RFC 9525): a DNS name for a name,
                with an asterisk for the whole first label and nothing else, and an IP address for an address. A common name does not
                count, and neither does the address that a name leads to. It has to be valid now, be valid for servers where it states
                its purpose, have an elliptic or an RSA key of 2,048 bits or more, and lead to an authority of the system or of
                `--server-ca` (or be in that file itself). If it does not, the client gets 502, the trace a `tls-failed` event and
                standard error a line, all with the reason: `expired on …`, `not valid before …`, `other name (it names a.example,
                b.example)`, `unknown authority (CN=…)`, `RSA key of 1024 bits`, or another. Authorities of the system are those in
                `/etc/ssl/certs/ca-certificates.crt` or where Fedora, SUSE and Alpine have them; `SSL_CERT_FILE` names another file.
                Signatures of RSASSA-PSS in certificates are not verified; such a server needs `--passthrough` or `--insecure`.

                """#),
        HelpTopic(
            name: "environment", about: "variables that a command after -- gets",
            text: #"""
                ## With a command

                `tapedeck record TRACE [options] -- COMMAND…`, and `serve` and `replay server` likewise, listen as long as COMMAND runs, on a
                free port unless `--listen` names one. COMMAND has its terminal, standard input and standard output; what Tapedeck prints
                goes to standard error, and lines for each exchange are not printed (`tapedeck tail` prints them).

                ```sh
                tapedeck record app.tape --to https://www.commcarehq.org --diagnose -- ./gradlew connectedCheck
                tapedeck record app.tape --faults flaky-mobile --seed 7 -- pytest tests
                tapedeck serve -- npm test
                ```

                The exit status is that of COMMAND unless it is 0 (128 and the number of the signal that ended it), else 1 if something that was
                asked for failed: a finding of `record --diagnose` by `--fail-on`, a fault that the client did not recover from, a
                report of `replay server`, and `record --diagnose` of nothing at all, since COMMAND sent nothing.
                Where the recording itself failed, it is that of the failure.

                SIGINT and SIGTERM are passed on to COMMAND, which decides what to do about them; a terminal sends SIGINT to it by itself.
                The third one that is passed on kills it. Programs that it leaves behind are not waited for.

                These variables are set for it, in addition to those that are there:

                | variable | value | with |
                |---|---|---|
                | `TAPEDECK_URL` | the address of what acts as the server, `http://HOST:PORT`; it also accepts https, except `serve` without `--tls` | `record --to`, `serve`, `replay server` |
                | `TAPEDECK_PROXY`, `http_proxy`, `https_proxy`, `all_proxy`, and the last three in capitals | the address of the proxy, `http://HOST:PORT` | `record` without `--to`, `replay server` |
                | `no_proxy`, `NO_PROXY` | removed, so that local servers are recorded too; where we are no proxy and another one is set, they gain this machine's names | all |
                | `NODE_USE_ENV_PROXY` | `1`, with which Node.js 22.21 and later read `http_proxy` | as for `http_proxy` |
                | `TAPEDECK_CA`, `NODE_EXTRA_CA_CERTS`, `DENO_CERT` | a file with the certificate of our authority, as PEM | `record`, `replay server`, `serve --tls` |
                | `SSL_CERT_FILE`, `REQUESTS_CA_BUNDLE`, `CURL_CA_BUNDLE`, `GIT_SSL_CAINFO`, `PIP_CERT`, `AWS_CA_BUNDLE`, `CARGO_HTTP_CAINFO` | a file with that and the certificates of the system | as for `TAPEDECK_CA` |
                | `JAVA_TOOL_OPTIONS` | what it was, and the properties for the proxy (also for local servers) and a trust store with the same certificates; Java reports it on standard error | as above |
                | `TAPEDECK_TRACE` | absolute path of the trace, for `tapedeck faults mark`, `ls` and others | `record`, `replay server` |
                | `TAPEDECK_ADMIN_URL`, `TAPEDECK_ADMIN_TOKEN` | the admin interface | `serve` |

                The files of certificates are in a temporary folder that is deleted at the end. Programs that honour none of these variables need
                their own setting, as Firefox does and apps on a device do; Go programs never use a proxy for local servers: record them with `--to`.

                """#),
        HelpTopic(
            name: "exit-status", about: "what exit statuses mean",
            text: #"""
                # The command line

                `tapedeck COMMAND …`. `--help` with any command lists its arguments and options, with examples; `tapedeck help TOPIC` explains
                `certificates`, `environment`, `exit-status`, `faults`, `filters` and `mitmproxy`, with the text of these documents
                (Coming from mitmproxy). Errors go to standard error in one line that says what happened and what to do.
                Commands and options that are not there are answered with the nearest ones, or with what they are called here.

                | status | meaning |
                |---|---|
                | 0 | success |
                | 1 | a check failed |
                | 64 | the command line, or a filter in it, is wrong |
                | 65 | the input is wrong: not a trace, a trace of a newer version, no row of that number |
                | 66 | a file cannot be opened |
                | 69 | a peer is unreachable |
                | 70 | internal error |
                | 74 | reading, writing or listening failed |
                | 75 | temporary failure: another program writes to the trace |

                With a command after `--` the status is that of the command unless that is 0, and 128 and the number of the
                signal that ended it.

                `record` and `serve` print `listening on HOST:PORT` as the first line of standard output, and then what clients are set to, when they accept
                connections; port 0 asks for a free one. With `0.0.0.0` or `::` standard error has the addresses at which other machines reach it. SIGINT or SIGTERM ends them cleanly, a second signal at once. Their output,
                and that of `replay server` and `sniff`, never blocks traffic, even if it is not read (limits).

                Recorded traffic is secret: traces, key logs and the key of the certificate authority are readable by their owner
                only. An existing trace or key log that others may read gets mode 600, which is reported on standard error, or is
                refused where it belongs to another user. A symbolic link is refused for a key or a key log; for a trace it is
                followed, and standard error names the target. Listeners bind to 127.0.0.1 by default.

                """#),
        HelpTopic(
            name: "faults", about: "the language of fault rules and plans",
            text: #"""
                # Faults

                A fault plan injects faults into traffic by its meaning: answer the third change of a bucket with
                440, lose the acknowledgement of the next edit, refuse a device until it has waited. The same plan,
                the same seed and the same traffic give the same faults.

                A plan is a list of rules. A rule is a filter (what is hit; the language of `Filters.md`), an action
                (what is done to it), a schedule (how often, from when, until when) and a name. Rules are evaluated
                in their order. Of several that hit one event, all are carried out as far as they are compatible:
                the first that consumes the event (a local answer, a drop, a close) is the last.

                ## One line

                `--fault RULE`, also repeatedly, and the list of a plan:

                ```fault
                api:commcare.restore => 503 retry-after=30 first=3
                command:c sender:client => error 440 nth=2
                command:cv sender:client => cv-unknown first=1
                api:commcare.restore => 429 probability=0.5
                host:*.example => latency 300ms jitter=50ms
                api:commcare.submit => lose-answer how=reset nth=1,4 per=client name="lost answers"
                status:5xx => set-header Retry-After 120
                => blackout from=10s to=25s
                ```

                ```
                rule      = [ filter ] "=>" action { word }           white space before "=>"
                action    = name | status                             a status alone: the action status with this code
                word      = value | key "=" value                     argument, condition of the schedule, or name=...
                value     = characters without white space
                          | '"' { character | "\"" | "\\" | "\n" | "\r" | "\t" } '"'
                          | "'" { character } "'"
                ```

                - Values without a key are the arguments that the table below marks with a star, in its order. A flag is set by its name alone.
                - Quotation marks count at the start of a value alone: `send 0:c:{"id":"a"}` needs none.
                - A key that the action has an argument for is the action's: where that is `to`, the end of the schedule is `schedule-to`.
                - The first arrow is taken that has a filter before it, so `body~"a => b" => drop` is what it looks like. No filter: everything.

                ## YAML

                `--faults FILE`. JSON is YAML as well. `tapedeck faults schema > faults.schema.json` describes it to editors:
                `# yaml-language-server: $schema=faults.schema.json`.

                ```yaml
                seed: 42
                rules:
                  - name: busy
                    filter: api:commcare.restore
                    action: status 503 retry-after=30
                    schedule: first=3 per=client
                  - name: refused
                    filter: command:c sender:client
                    action: {kind: error, code: 440, as: string}
                    schedule: {nth: [1, 4], after: 200ms}
                  - command:cv => cv-unknown first=1 name=expired
                ```

                `seed` is a whole number below 2^64; `--seed` takes precedence; default: a drawn one. A rule without
                a name is named `rule-1`, `rule-2` … by its position. At most 10,000 rules and 4 MiB, of which
                aliases expand to at most 100,000 values. In YAML, `*`, `!`, `{`, `[`, `&`, `#` and `"` at the start
                of a value are syntax: quote such a filter.

                An invalid plan is reported with the place and a mark under the erroneous text, and nothing starts
                (exit status 64):

                ```
                plan.yaml:3:13: there is no action "eror"; did you mean error?
                      action: eror 440
                              ^^^^
                ```

                Besides unknown names and invalid values, these are errors: an empty range; two conditions that
                exclude each other (`status:200 status:503`, `method:GET method:POST`, `bucket:a not bucket:a`; with
                `or` between them they do not); a field that is unknown when the action has to be carried out
                (`status:200 => 503`: without `forwarded`, a request is answered before there is a status); a filter
                that matches nothing the action can be applied to; and a schedule that hits nothing
                (`from=20s to=10s`, `first=2 nth=3`).

                ## Schedule

                Without any of these every event is hit (`always`). All that are given have to hold.

                | key | value | meaning |
                |---|---|---|
                | `first` | 3 | The first of this number. |
                | `every` | 3 | Every nth: 3, 6, 9 … |
                | `nth` | 3 or 1,4,7 | Those with these numbers. |
                | `probability` | 0.5 or 50% | Each with this probability. |
                | `from`, `to` | 10s | Between these times of the session, the second one excluded. |
                | `after-mark`, `before-mark` | NAME | From the latest mark of one name on, until one of the other follows it. |
                | `until` | FILTER | Until an event of the scope passes this filter: until the client has done something. |
                | `until-waited` | 30s | Until a scope was silent for this long after it was hit: until the client has waited its Retry-After. |
                | `per` | connection, client, key, overall | The scope: what events are counted by. |
                | `after` | 2s | Carry the action out after this delay: what is changed is held as long, and so is what is sent again. An error where nothing can be delayed: `drop` without `close`, `lose-answer how=stall`, `reorder`, `compact`, and `refuse`, `tls-failure` and `expired-certificate` when a connection begins. |

                - Events that the filter matches are counted from 1, separately for each scope, while the times and
                  marks allow it and the rule is not ended for the scope. `first=3 after-mark=x` is the first three
                  after the mark.
                - A client is a device id, a Simperium client id, or else an address without port. A key is that of
                  an object, or method and path of a request. Without `per` it is `client` where a random draw
                  decides (`probability`, `jitter`, a drawn place) and `overall` where it does not.
                - A random draw depends on seed, name of the rule, scope and number alone (SplitMix64), so it does not matter which of two connections came
                  first. What the action draws comes from the same draw. Both are in the trace.
                - At most 100,000 scopes are kept, over all rules; those used least recently are evicted, begin
                  again at 1, and are counted in the summary. Scopes longer than 200 bytes are shown with a digest.
                - A paused rule is not evaluated and counts nothing.
                - Rules about a whole connection are evaluated when the client connects, and for open connections
                  when the rule is added, is resumed, or its mark is set for the first time. `from` and `to` select
                  connections by that time; only a blackout is scheduled on a connection in advance, and it ends at
                  `to`.

                ## When a rule is evaluated

                At the earliest time when all fields of its filter are known and its action can be carried out, once
                for each event. The order is: client connects, TLS or tunnel begins, request head, request, response
                head, response; then commands, then messages. `kind:` narrows it: `=> latency 1s` delays all bytes
                of a connection, `kind:message => latency 1s` each message. Some actions require more than the
                filter does: "with" in the table. A rule about a body sees bodies of up to 1 MiB.

                Rules that change an answer (`set-header`, `remove-header`, `add-header`, `edit`, `content-type`, `length`, `corrupt`,
                `truncate`, `cut-xml`, `latency`, `answer-twice`) are evaluated for the answers that `status` makes
                as well; `local:true` selects those and `local:false` excludes them.

                ## Faults and answers of your own

                `status` is a fault whatever its code: the server, or what stands before it, answers so, and the client has to get over
                it. A client that takes the 200 of a captive portal for the answer of a CommCare server has not. `answer` is an answer of
                your own in the server's place, as a mock gives it: it is made like that of `status`, and nobody judges what the client
                does with it. The only exception is a `status` of 200 to 299 for a request whose protocol is unknown (`api:http`): any
                success is right there, so that `path:/config => 200 body={}` is not judged either. `tapedeck faults report` counts both
                as not judged.

                `edit`, `edit-object`, `add-header`, `map`, `serve`, `recorded`, `redirect`, `block` and `hold` are not faults either: they have the traffic otherwise, and nobody is judged by
                it. Like all that Tapedeck changes they are rows in the trace, and both sides stand there: what was sent and what was received.

                | what you did elsewhere | here |
                |---|---|
                | mitmproxy `--modify-body "/~u \/api/old/new"` | `path:/api => edit replace old new` |
                | mitmproxy `--modify-headers /~q/User-Agent/mine` | `=> edit header User-Agent mine sender=client` |
                | mitmproxy `--block-list ":~d tracker.example:404"` | `host:tracker.example => block 404` |
                | Charles, Rewrite: query parameter | `path:/search => edit query limit 5` |
                | Charles, Rewrite: response status | `path:/config => edit status 404` |
                | Charles, Map Remote; Proxyman, Map Remote; mitmproxy `--map-remote` | `path:/api/* => map https://staging.example` |
                | the same with a redirection that the client sees | `path:/old => redirect https://staging.example/new` |
                | Charles, Map Local; Proxyman, Map Local; mitmproxy `--map-local` | `path:/media/* => serve ./public` |
                | mitmproxy `--intercept`; Charles, Proxyman: breakpoints | `api:commcare.submit => hold`, and `tapedeck hold` |
                | Proxyman, Map Local with saved responses; WireMock `--proxy-all` with recorded stubs | `host:api.example => recorded app.tape` |
                | Charles, Block List | `host:*.ads.example => reset` |

                `map` sends a request to another server, whatever server the client named or the proxy stands before, over http or https as
                its URL says. `Host` and `Origin` name that server; in the answer `Location` and `Content-Location` that name it lead back to
                where the client asked, and its cookies lose `Domain`, and without TLS `Secure`. Together with `edit path` it rewrites the path.
                The trace has the request as the client sent it and as that server got it.

                `serve` answers with a file as it is at that moment, or with the one that the path of the request names in a folder: with the type
                of its ending, an `ETag` and `Last-Modified`, 304 to whom has it, one range of bytes, 404 for what is not there and for what
                would lead out of the folder. A folder has its `index.html`. Files of more than 64 MiB are not served.

                `recorded` answers from a trace, so that a client works partly offline: a request takes the first recorded exchange that is
                not used yet and means the same, as with `tapedeck replay server`, and gets its answer at once. The nth of several equal
                requests gets the nth answer; whoever wants one again and again records it so often, or uses `answer`. What the trace has no answer to passes, and
                the row says why. WebSockets pass as well. The trace is read into memory when the rule is added, up to 256 MiB of requests and
                answers, so that no connection waits for a disk; rules about one trace share what is used of it. An answer leads where the live client is
                (`Location`), and states its length in place of chunks.

                `edit` says what it changes first:

                - `edit json /place value` puts a value at a place of a JSON body, given as a JSON pointer (RFC 6901); what is not JSON is a
                  string: `edit json /user/name Anna`. A member that is not there is added, and so is an element at `/list/-`.
                  `edit json-remove /place` removes it. Every other byte stays as it was.
                - `edit xml /path text` has elements of an XML body contain a text, `edit xml /path/@name text` their attributes have it, also in the
                  form of a submission in several parts. The path is a part of XPath: `/a/b` from the root on, `//b` at any depth, `*` for any
                  element, `[2]` for the second of that name in its parent, `[@id='x']`, and at the end `@name` or `text()`. A name without prefix is that
                  of elements with any. All that the path leads to is edited; an element with elements in it is not. A document with a DOCTYPE or in UTF-16 is refused.
                - `edit form field value` sets a field of an HTML form in a request, `edit query name value` one of the query, `edit path /new`
                  the path; `edit path 'regex' text` replaces in it, as `replace` does: `edit path '^/v1/(.*)' '/v2/$1'`.
                - `edit header name value` sets a header field as `set-header` does, `edit status 404` the status of a response.
                - `edit replace 'regex' text` puts the text in place of each match; of matches that begin at the same place the longest. `$1` is
                  what the first group matched, `$0` the match, `$$` a dollar sign.

                `kind:message => edit json /place value` edits the messages of a WebSocket, and so do `json-remove`, `xml` and `replace`: those of both sides, or
                with `sender=client` of one. A message in fragments goes on in one frame, a compressed one uncompressed. Messages of
                Simperium stay: `edit-object` is for those.

                `edit-object member value` has a change of a Simperium object, of the client or of the server, leave the member with that value:
                the operation in `v` is replaced by one that fits what both sides have, and the member in `d` as well. A change that does not
                touch the member passes as it is, since what the object has of it is not known. The acknowledgement of a client's change that
                was edited names its ccid with the other content: the client keeps its own until it loads the object.

                The length is made right, a chunked body gets a Content-Length, and a compressed one stays in its coding, in blocks that store
                it as it is. A body is edited when it is there as a whole: one of more than 1 MiB, one that cannot be decoded, and one that is
                the same afterwards pass as they are, and the row says why. An event stream (`text/event-stream`,
                `multipart/x-mixed-replace`) is not held up until it ends: rules about its body are not evaluated, and edits of it are not done. `edit replace`
                in an answer is the exception where its expression matches at most 64 KiB, so has no `*`, `+` or `{n,}`, and the answer is in no
                content coding: then it is done while the body comes, however long that is, and the answer is chunked afterwards.

                Digests and signatures stay as the sender made them. Where an edit changes what one covers, the row names it in `detail`: `Content-MD5`,
                `Digest`, `Content-Digest`, `Repr-Digest`, a strong `ETag`, checksums of Amazon and webhooks, `Signature`, and an `Authorization`
                that signs (AWS4, HMAC, OAuth, Hawk). Of a restore that was edited the row says that the state hash of the client's cases may differ
                from the server's.

                `hold` is a breakpoint: the message waits until somebody decides with `tapedeck hold`, or over the control interface, that it goes on, goes on with other bytes, is answered in the
                receiver's place, or is dropped; after 5 minutes, or the time that the rule says, it goes on by itself.

                ```fault
                api:commcare.submit => hold
                api:commcare.restore => hold sender=server
                command:c key:a1 => hold 30s
                opcode:binary => hold
                ```

                - Of HTTP a whole message is held, a body of at most 1 MiB; behind it waits what its sender sent on this connection. Dropping it
                  closes the connection.
                - Of a WebSocket a command is held with those of its channel behind it; other channels, the other direction and heartbeats go on.
                  Behind a message that is no command all but heartbeats waits. Where a compressed socket takes contexts over, what follows is
                  written without compression.
                - 1 MiB or 1,024 messages of one sender are held, then it is read no further.
                - A peer that leaves loses what it sent: the row says `outcome=left`. Rows name the outcome: `released`, `edited`, `dropped`,
                  `answered`, `expired`, `left`; a command that only waited has `behind`.

                A plan may have both, so that a test runs without the server that it does not test:

                ```yaml
                rules:
                  - path:/config => answer type=application/json body={}
                  - api:commcare.submit => 503 first=2
                ```

                ## What was done

                Whatever was done is a row in the trace (view `intervention`), with its `purpose`: `fault` for what breaks something, `edit` for
                the actions that have the traffic otherwise. The view `fault` has those that break something alone; so do `tapedeck faults
                report` and the filter field `fault`, while `intervention` finds both. A row has its `effect`, one or several of these words:

                | effect | meaning |
                |---|---|
                | `altered` | A message was received other than it was sent. |
                | `lost` | A message was not received. |
                | `delayed` | Bytes were received later, or after others. |
                | `repeated` | A message was received more than once. |
                | `answered` | A message of the client was answered in the server's place, which did not receive it. |
                | `injected` | A message was received that no peer sent. |
                | `ended` | The connection was closed, reset or half-closed. |
                | `stalled` | From here on bytes were not forwarded, for a time or for good. |
                | `refused` | The connection, its tunnel or its TLS was not established. |

                An action that cannot be carried out changes nothing and delays nothing: `version-gap` for a change
                that creates or removes an object, `remove-header` for a field that is not there, `length` without a
                Content-Length, `cut-xml` for a body that is not XML, `corrupt` and `truncate` behind the end of a
                body, an action on a request that was forwarded already or that another rule answered or dropped,
                one that waits for its `after` when the connection ends, `cut` whose bytes do not come before that, or
                `tls-failure` for a client that uses no TLS. Its
                row has the effect `none` and the reason in `problem`. It does not count as done: `faults list`
                counts it as `FAILED` in place of `FIRED`, `faults report` prints it as "not done" with the reason
                and without a verdict, and `certify` does not take it for the fault that a scenario needs. A schedule counts
                it, since it counts events: the next event is the second one for `nth=2`.

                ## Actions

                <!-- actions -->
                | action | arguments | of | evaluated at | with | meaning |
                |---|---|---|---|---|---|
                | `status` | `code`\*! `retry-after` `body` `body-file` `type` `header` `message` `key` `progress` `step` `forwarded` | exchange | request head, request, response head, response | - | Answers a request with a status. Without a body, the answer is the correct one of the protocol: a CommCare 202 with progress and Retry-After, 401 with WWW-Authenticate, 406 with its JSON, 412 and 422 with an OpenRosaResponse, 429 and 503 with Retry-After. A number alone is short for it. |
                | `answer` | `code`\* `retry-after` `body` `body-file` `type` `header` `message` `key` `progress` `step` `forwarded` | exchange | request head, request, response head, response | - | Gives an answer of your own in the server's place, as a mock does. It is made like that of status, and is nothing that a client has to recover from. |
                | `lose-answer` | `how` | exchange | response head, response | - | Forwards the request but not the answer, so that the client does not know whether the server accepted it. |
                | `answer-twice` | - | exchange | response | - | Sends the answer twice, one directly after the other. |
                | `truncate` | `at`\*! | exchange | response head, response | - | Closes the connection in the middle of the body of a response. |
                | `corrupt` | `at` `count` `sender` | exchange | request head, request, response head, response | - | Changes bytes of a body; its length stays correct. |
                | `length` | `by`\*! | exchange | response head, response | - | Sends a response with a wrong Content-Length; a chunked response is left unchanged. |
                | `content-type` | `type`\*! `sender` | exchange | request head, request, response head, response | - | Mislabels the body. |
                | `cut-xml` | `at`\* | exchange | response | - | Cuts an XML document in its middle, with a correct Content-Length: only a parser notices. |
                | `set-header` | `name`\*! `value`\*! `sender` | exchange | request head, request, response head, response | - | Sets a header field. |
                | `remove-header` | `name`\*! `sender` | exchange | request head, request, response head, response | - | Removes a header field. |
                | `add-header` | `name`\*! `value`\*! `sender` | exchange | request head, request, response head, response | - | Adds a header field, and leaves those of the same name. |
                | `edit` | `what`\*! `at`\*! `to`\* `sender` | exchange, message | request head, request, response head, response, message | - | Changes a message by what it means; length, transfer coding and content coding stay right. |
                | `map` | `value`\*! | exchange | request head, request | - | Sends a request to another server: Host and Origin name that one, and Location and cookies of the answer the one that the client asked. |
                | `serve` | `value`\*! `type` | exchange | request head, request | - | Answers a request with a file, as it is then: with ranges, and with 304 where the client has it already. |
                | `recorded` | `value`\*! | exchange | request head, request | - | Answers a request as a trace has it answered, matched by meaning as replay server does; what was not recorded passes. |
                | `redirect` | `value`\*! `code` | exchange | request head, request | - | Answers a request with a redirection, in the server's place. |
                | `block` | `code`\* | exchange | request head, request | - | Keeps a request from the server, and answers it with a status and no body. |
                | `error` | `code`\*! `as` `forwarded` | command | command | `command:c sender:client` | Refuses a change of the client with an error code. |
                | `cv-unknown` | - | command | command | `command:cv sender:client` | Answers the client's cv, also one in the cmd of an init, with cv:?, as for a change version that has expired. |
                | `change-unknown` | - | command | command | `command:{cv,c} sender:client` | Answers the client's cv, or its change, with c:?, as older servers do for an unknown change version. |
                | `entity-unknown` | - | command | command | `command:e sender:client` | Answers the client's e with a question mark, as for a version that no longer exists. |
                | `auth-failure` | `code`\* `message` | command | command | `command:init sender:client` | Answers the client's init with an authorisation failure. |
                | `auth-expired` | - | command | command | `command:init sender:client` | Answers the client's init with auth:expired and then the failure as JSON, as servers do for api 1.0. |
                | `move-current` | `to` | command | command | `command:i sender:server` | Gives a page of an index another current, as if the bucket had changed while it was read. |
                | `foreign-ccids` | - | command | command | `command:c sender:server` | Replaces the ccids of changes, so that an acknowledgement is about changes the client never sent. |
                | `version-gap` | `by` | command | command | `command:c sender:server` | Increases the versions of changes, so that sv is not the client's version. |
                | `edit-object` | `member`\*! `to`\*! | command | command | `command:c` | Has changes of an object leave a member with a value: the operation in v is replaced, and so is the member in d. |
                | `compact` | `count` | command | command | `command:c sender:server` | Holds changes back and sends them together, those of one object as one change, as the server does for a client that was offline. |
                | `malformed-delta` | - | command | command | `command:c sender:server` | Corrupts the string delta of a change so that it does not apply to the text. |
                | `wrong-heartbeat` | `by` | command | command | `command:h sender:server` | Answers a heartbeat with a wrong number. |
                | `unknown-channel` | `to` | command | command | `has:channel sender:server` | Sends a command of the server on a channel that was never opened. |
                | `send` | `text`\*! `to` | command, message | command, message | - | Injects a text message after the one that the rule matched. |
                | `drop` | `close` | exchange, command, message | request head, request, command, message | - | Does not forward a request, command or message. |
                | `hold` | `for`\* `sender` `by` `outcome` | exchange, command, message | request head, request, response head, response, command, message | - | Holds a request, response, command or message until somebody decides about it: `tapedeck hold`. |
                | `repeat` | `count` | exchange, command, message | request, command, message | - | Sends a request, command or message again; the client gets the first answer alone. |
                | `reorder` | - | command, message | command, message | - | Forwards a message after the next one of its sender (a command: of its channel), or after 5 s where none follows. |
                | `latency` | `by`\*! `jitter` `sender` | exchange, command, message | connection, request head, request, response head, response, command, message | - | Delays a request, response, command or message, or everything on a connection. |
                | `bandwidth` | `rate`\*! `sender` | exchange, command, message | connection, request head, request, response head, response, command, message | - | Limits the bandwidth of the connection from here on. |
                | `slice` | `size`\*! `pause` `sender` | exchange, command, message | connection, request head, request, response head, response, command, message | - | Forwards bytes in small slices from here on. |
                | `stall` | `sender` | exchange, command, message | connection, request head, request, response head, response, command, message | - | Forwards nothing from here on, and leaves the connection open. |
                | `cut` | `at`\*! `how` `sender` | exchange, command, message | connection, request head, request, response head, response, command, message | - | Ends the connection after the given number of further bytes. |
                | `blackout` | `for`\* | exchange, command, message | connection, request head, request, response head, response, command, message | - | Forwards nothing for a time, in either direction; held bytes are forwarded afterwards. |
                | `close` | - | exchange, command, message | connection, request head, request, response head, response, command, message | - | Closes the connection in order. |
                | `reset` | - | exchange, command, message | connection, request head, request, response head, response, command, message | - | Resets the connection (RST). |
                | `half-close` | `sender` | exchange, command, message | connection, request head, request, response head, response, command, message | - | Half-closes the connection: one side sees the end of the other's stream. |
                | `close-code` | `code`\*! `reason` `to` | command, message | command, message | - | Ends a WebSocket with a close message. |
                | `refuse` | - | exchange | connection, TLS or tunnel | - | Refuses the connection, or the tunnel that the client requests. |
                | `tls-failure` | - | exchange | TLS or tunnel | - | Ends the client's TLS handshake with an alert. |
                | `expired-certificate` | - | exchange | TLS or tunnel | - | Shows the client a certificate that has expired. |

                `*` may be written without its name, `!` is required. An example of each:

                ```fault
                api:commcare.restore => status 503 retry-after=30 first=3
                path:/config => answer type=application/json body={}
                api:commcare.submit => lose-answer how=reset nth=1
                method:POST => answer-twice first=1
                api:commcare.restore => truncate 10KiB first=1
                path:/media/* => corrupt at=100 count=4
                path:/forms/* => length -10
                api:commcare.restore => content-type text/html
                api:commcare.restore => cut-xml first=1
                host:*.example => set-header Date "Thu, 01 Jan 1998 00:00:00 GMT"
                api:commcare.submit => remove-header X-CommCareHQ-LastSyncToken sender=client
                path:/login => add-header Set-Cookie "theme=dark; Path=/"
                api:commcare.restore => edit header X-Environment staging
                path:/api/* => map https://staging.example
                path:/media/* => serve ./public
                host:api.example => recorded app.tape
                path:/old/* => redirect https://staging.example/new
                host:tracker.example => block 404
                command:c bucket:notes => error 440 nth=3
                command:cv => cv-unknown first=1
                command:cv => change-unknown first=1
                command:e => entity-unknown nth=2
                command:init => auth-failure 400 message="Token malformed" first=1
                command:init => auth-expired first=1
                command:i => move-current nth=2
                command:c bucket:notes => foreign-ccids first=1
                command:c key:a1 => version-gap by=2 nth=1
                command:c key:a1 => edit-object title "another title"
                command:c => compact count=3
                command:c => malformed-delta nth=2
                command:h => wrong-heartbeat by=5 every=2
                command:c => unknown-channel nth=2
                command:init sender:client => send 0:index after=1s
                command:c sender:server => drop nth=1
                command:c sender:client => hold
                command:c sender:server => repeat nth=2
                command:c sender:server => reorder every=3
                host:*.example => latency 300ms jitter=50ms
                host:*.example => bandwidth 10KiB sender=server
                => slice 1 pause=5ms
                api:commcare.restore => stall sender=server nth=1
                => cut 5000 how=reset sender=server
                => blackout from=10s to=25s
                command:c sender:client => close nth=5
                api:commcare.submit => reset probability=0.2
                api:commcare.restore => half-close sender=server
                command:c sender:client => close-code 1012 reason="service restart" nth=2
                => refuse first=2
                host:*.example => tls-failure first=1
                host:*.example => expired-certificate
                ```
                <!-- end -->

                ### Arguments

                <!-- arguments -->
                | argument | of | type | meaning |
                |---|---|---|---|
                | `code` | `status` | integer | Status of the answer. |
                | `retry-after` | `status` | integer or text | Retry-After: seconds, or any text to be sent as it is; default: that of the ready-made answer. |
                | `body` | `status` | text | Body; default: the ready-made one of the protocol. |
                | `body-file` | `status` | text | File that the body is read from when the plan is loaded. |
                | `type` | `status` | text | Content-Type; default: that of the body. |
                | `header` | `status` | texts | A header field, "Name: value"; may be given repeatedly. |
                | `message` | `status` | text | Text for users in a ready-made body: of OpenRosaResponse, or default_response of a 406. |
                | `key` | `status` | text | Translation key in the ready-made body of a 406. |
                | `progress` | `status` | text | Progress in a ready-made 202, "done/total"; default: 10/100. |
                | `step` | `status` | integer | How much the progress grows with every occurrence; default: 10. |
                | `forwarded` | `status` | flag | Whether the server gets the request and its answer is replaced; without it, the server does not receive the request. |
                | `code` | `answer` | integer | Status of the answer; default: 200. |
                | `retry-after` | `answer` | integer or text | Retry-After: seconds, or any text to be sent as it is; default: that of the ready-made answer. |
                | `body` | `answer` | text | Body; default: the ready-made one of the protocol. |
                | `body-file` | `answer` | text | File that the body is read from when the plan is loaded. |
                | `type` | `answer` | text | Content-Type; default: that of the body. |
                | `header` | `answer` | texts | A header field, "Name: value"; may be given repeatedly. |
                | `message` | `answer` | text | Text for users in a ready-made body: of OpenRosaResponse, or default_response of a 406. |
                | `key` | `answer` | text | Translation key in the ready-made body of a 406. |
                | `progress` | `answer` | text | Progress in a ready-made 202, "done/total"; default: 10/100. |
                | `step` | `answer` | integer | How much the progress grows with every occurrence; default: 10. |
                | `forwarded` | `answer` | flag | Whether the server gets the request and its answer is replaced; without it, the server does not receive the request. |
                | `how` | `lose-answer` | text: close, reset, stall | What the client sees instead of the answer; default: close. |
                | `at` | `truncate` | size | Bytes of the body that are still sent. |
                | `at` | `corrupt` | size | Offset in the body of the first byte that is changed; default: drawn from the seed within the first bytes. |
                | `count` | `corrupt` | size | Bytes that are changed; default: 1. |
                | `sender` | `corrupt` | text: client, server | Whose bytes: client for the request, server for the response; default: server. |
                | `by` | `length` | integer | What is added to the Content-Length of the response. |
                | `type` | `content-type` | text | The Content-Type to be sent instead. |
                | `sender` | `content-type` | text: client, server | Whose bytes: client for the request, server for the response; default: server. |
                | `at` | `cut-xml` | size | Bytes of the decoded body that are kept; default: half of them. |
                | `name` | `set-header` | text | Name of the header field. |
                | `value` | `set-header` | text | The value, which replaces all present ones. |
                | `sender` | `set-header` | text: client, server | Whose bytes: client for the request, server for the response; default: server. |
                | `name` | `remove-header` | text | Name of the header field. |
                | `sender` | `remove-header` | text: client, server | Whose bytes: client for the request, server for the response; default: server. |
                | `name` | `add-header` | text | Name of the header field. |
                | `value` | `add-header` | text | The value of one more field of this name, behind all others. |
                | `sender` | `add-header` | text: client, server | Whose bytes: client for the request, server for the response; default: server. |
                | `what` | `edit` | text: json, json-remove, form, query, header, path, status, replace, xml | What is changed: json, json-remove, xml, form or replace in the body; query, path, header or status in the head. |
                | `at` | `edit` | text | Where: a JSON pointer, a path in XML, the name of a field, a regular expression; or the path or status to be sent. |
                | `to` | `edit` | text | What is to be there: JSON or else a string, the value of the field, or the text in place of each match, with $1 for its first group. |
                | `sender` | `edit` | text: client, server | Whose message: client for the request, server for the response; default: client for form, query and path, otherwise server; of WebSocket messages those of both. |
                | `value` | `map` | text | Scheme, host and port of the other server, as a URL; the path is that of the request. |
                | `value` | `serve` | text | The file, or a folder in which the path of the request names it; relative to where tapedeck was started. |
                | `type` | `serve` | text | Content-Type; default: that of the ending of its name. |
                | `value` | `recorded` | text | The trace; relative to where tapedeck was started. |
                | `value` | `redirect` | text | The Location: a URL, or a path of the same server. |
                | `code` | `redirect` | integer | Status of the answer; default: 307. |
                | `code` | `block` | integer | Status of the answer; default: 403. |
                | `code` | `error` | integer | The error code. |
                | `as` | `error` | text: integer, string | How the code is written in the JSON; default: integer. |
                | `forwarded` | `error` | flag | Whether the server gets the change and its answer is replaced; without it, the server does not receive the change. |
                | `code` | `auth-failure` | integer | The code; default: 401. |
                | `message` | `auth-failure` | text | The msg; default: that of the real server for the code. |
                | `to` | `move-current` | text | The change version in its place; default: one drawn from the seed. |
                | `by` | `version-gap` | integer | By how much sv and ev are increased; default: 1. |
                | `member` | `edit-object` | text | Name of a member of the object. |
                | `to` | `edit-object` | text | The value after the change: JSON, or else a string. |
                | `count` | `compact` | integer | Changes that are joined; default: 2. |
                | `by` | `wrong-heartbeat` | integer | What is added to the correct number; default: 1. |
                | `to` | `unknown-channel` | integer | The channel in its place; default: 9999. |
                | `text` | `send` | text | The whole message: 0:index, log:1, ? ... |
                | `to` | `send` | text: client, server | Who gets it; default: the client. |
                | `close` | `drop` | flag | Whether the connection is closed; without it, a request stays unanswered. |
                | `for` | `hold` | duration | After how long it goes on by itself; default: 5m. |
                | `sender` | `hold` | text: client, server | Whose message of an exchange: client for the request, server for the response; default: the one at which the filter is decided. |
                | `by` | `hold` | text | The add-on that was asked about it; only in traces. |
                | `outcome` | `hold` | text: released, edited, dropped, answered, expired, left, behind | How it went on; only in traces. |
                | `count` | `repeat` | integer | How many more are sent; default: 1. |
                | `by` | `latency` | duration | How much later it is forwarded. |
                | `jitter` | `latency` | duration | By how much more or less, drawn uniformly; default: 0. |
                | `sender` | `latency` | text: client, server | Whose bytes: of a connection, client or server (default: both); of an exchange, client delays the request and server the response. |
                | `rate` | `bandwidth` | size | Bytes per second, in each direction. |
                | `sender` | `bandwidth` | text: client, server | Whose bytes; default: those of both. |
                | `size` | `slice` | size | Bytes that are forwarded at a time. |
                | `pause` | `slice` | duration | Pause after each slice; default: 0. |
                | `sender` | `slice` | text: client, server | Whose bytes; default: those of both. |
                | `sender` | `stall` | text: client, server | Whose bytes; default: those of both. |
                | `at` | `cut` | size | Bytes that are still forwarded, from here on. |
                | `how` | `cut` | text: close, reset | How the connection ends; default: close. |
                | `sender` | `cut` | text: client, server | Whose bytes; default: those of both. |
                | `for` | `blackout` | duration | Duration; default: the time between from and to of the schedule. |
                | `sender` | `half-close` | text: client, server | Which side appears to have closed; default: the server. |
                | `code` | `close-code` | integer | The close code. |
                | `reason` | `close-code` | text | The reason; default: none. |
                | `to` | `close-code` | text: client, server, both | Who gets the close message; default: both. |
                <!-- end -->

                ## Packs

                Plans that come with Tapedeck, each a file of the folder `Packs`: use it as it is, or as the start of a plan of your own.

                <!-- packs -->
                | pack | rules | what it simulates |
                |---|---|---|
                | `account-deactivated` | 1 | The account of the user was deactivated: every request is answered with 406 and a JSON body with a text for the user. A correct client shows the text, in the user's language where it has the key, does not repeat the request by itself, and deletes nothing. |
                | `broken-restore` | 4 | Restores that are invalid: cut in the middle of the XML with a correct length, ended by the connection, corrupted in transit, mislabelled. A correct client accepts none of them in part: it parses the whole document before it changes anything, keeps its old data and token, and requests the restore again. |
                | `broken-tls` | 2 | Certificates that have expired and handshakes that fail, as behind a middlebox. A correct client does not continue, reports what is wrong with the certificate, never sends a password, and works offline until the certificate is valid. |
                | `captive-portal` | 3 | The captive portal of a hotel network: until the user signs in, every request is answered with an HTML page, with status 200 or with a redirect to it. A correct client does not take such a page for the server's answer: it checks content type and document, keeps its forms, and reports that the network requires a sign-in. |
                | `chatty-server` | 5 | A server that sends rare commands: it requests the index, requests logs, sends options, a bare question mark and a command on a channel that was never opened. A correct client answers index and log, ignores the rest, and stays connected. |
                | `duplicate-forms` | 4 | The server accepts the form and the client never receives the answer: the case that makes duplicates. Some answers arrive twice. A correct client sends the form again under the same instanceID, so that the server can recognise it, and counts it once. |
                | `expired-history` | 4 | The history from which a client would continue no longer exists: its change version is unknown, old versions of objects are deleted as well, and the sync token of CommCare is refused with 412. A correct client reads the whole index or makes a full restore, keeps what it has not sent yet, and does not repeat this in a loop. |
                | `expired-token` | 4 | The token or password is no longer valid: requests are answered with 401, and init is answered with a failure, once by the older auth:expired. A correct client stops sending with these credentials, asks the user once, does not retry in a loop, and keeps everything that is not sent yet. |
                | `flaky-mobile` | 6 | A telephone at the edge of the network: slow, in small pieces, with varying delays, and with connections that are reset in the middle of a message. A correct client retries what may be retried with growing pauses, never sends a form as new that the server may have, and continues with what it has received. |
                | `ghost-writing-bait` | 5 | Provokes a client into writing text twice: changes arrive out of order, joined and repeated, and the client's own changes come back late, while it continues to edit. A correct client compares sv and ev with the versions it has, ignores changes it already has, requests the object where it cannot follow, and transforms its own edits exactly once. |
                | `lost-acknowledgements` | 5 | The server accepts changes and its acknowledgements are lost, arrive twice, late, or for changes of another client. A correct client, once it is connected again, resends what is not acknowledged with the same ccid, treats 409 as acknowledged, and applies nothing twice. |
                | `overloaded-server` | 5 | An overloaded server: it refuses restores and forms with 503 and 429, at first always, then every third time, delays the other answers, and answers changes with 503. A correct client stops all retries of the kind at once, waits as long as Retry-After requires and longer each time, shows the user that it will continue later, and loses nothing. |
                | `refused-changes` | 10 | A server that refuses changes with every code it has, one after the other. A correct client sends the whole object after 405, 417 and 440, stops with this change after 400, 401, 404, 412 and 413, treats 409 as acknowledged and requests the changes since its version, sends the same change again after 500 and 503 with pauses, and never stops sending the changes of other objects. |
                | `reindex-storm` | 5 | Makes clients read whole indexes repeatedly: change versions are unknown, current moves between pages, pages are lost, and many clients are disconnected at the same time. A correct client reads the index once, keeps the current of the first page, applies what it already has without harm, requests again after growing pauses with some jitter, and requests single objects where that is enough. |
                | `rejected-forms` | 2 | The server refuses forms permanently: 422 with processing_failure, which means that this form will never be accepted, and 413 for one that is too large. A correct client sets such a form aside where a user can see it, never sends it again unchanged, and continues with the next. |
                | `restore-in-progress` | 1 | The server prepares the restore in the background: it answers four times with 202 and a progress that grows, then it sends the restore. A correct client waits as long as each Retry-After requires, repeats the same request, shows the progress, and has a time limit in case it never ends. |
                | `restore-never-ready` | 1 | The server answers 202 for ever and the progress does not grow. A correct client observes Retry-After and stops waiting after some time with a message, without touching its data. |
                | `silent-server` | 3 | A server that is connected but unresponsive: heartbeats are unanswered or answered with a wrong number, and in the end no bytes arrive while the connection stays open. A correct client detects this by a time limit for silence alone, closes, reconnects with growing pauses, and resends what was not acknowledged. |
                | `slow-link` | 2 | A link that is slow but reliable: 4 KiB per second, and a latency of 1 s each way. A correct client has time limits for silence and not for the whole transfer, shows its progress, and does not restart a transfer that is still in progress. |
                | `tunnels` | 4 | A train ride through tunnels: at intervals no bytes are forwarded for seconds, then all of them at once, and one or two connections are lost. A correct client detects by its heartbeat that the connection is lost, reconnects with growing pauses, and continues where it was. |
                | `wrong-clock` | 3 | The server's clock is decades wrong: its Date header has the year 1998, and its expiry times are as old. A correct client measures pauses on a monotonic clock, does not copy the server's time into its records, and reports that clocks differ rather than that the password is wrong. |
                <!-- end -->

                """#),
        HelpTopic(
            name: "filters", about: "the filter language of ls, tail and rules",
            text: #"""
                # The filter language

                One language for everything that selects exchanges, commands or messages: `tapedeck ls` and `tail`,
                search, and rules. A filter is a condition on one thing at a time. Over stored rows it becomes SQL,
                over live traffic a predicate, with the same answer.

                ```filter
                status:500
                api:commcare.restore
                command:c sender:client
                host:*.example status>=400 not path:/static/*
                duration>200ms or size>10KiB
                at:1.5s..3s method:{POST,PUT}
                at:14:03:05..14:04
                at>=2026-11-21T14:03:05Z
                bucket:notes key:a1 (error:* or cv~"5f")
                request.header.user-agent~/commcare\/2\.5[0-9]/i
                body~"submit_success" response.header.content-type:text/xml*
                "too many requests"
                ```

                ## Grammar

                ```
                filter      = [ any ]                                  nothing: everything
                any         = all { ( "or" | "||" | "|" ) all }
                all         = term { [ "and" | "&&" | "&" ] term }     side by side is "and"
                term        = ( "not" | "!" | "-" ) term
                            | "(" any ")"
                            | comparison
                            | word | quotation                         full text: the same as text:word
                            | "*"                                      everything
                comparison  = "has:" field                             the field has a value
                            | field ":" ( value | set )                value: wildcards, ranges, "*" for any
                            | field ( "=" | "==" | "!=" ) ( literal | set )
                            | field ( "<" | "<=" | ">" | ">=" ) literal
                            | field ( "~" | "!~" ) ( literal | regex )
                            | field "=~" ( regex | quotation )
                            | field "in" set
                set         = "{" value { "," value } "}" | "(" value { "," value } ")"
                field       = name of a field | family "." name of a header
                regex       = "/" expression "/" [ "i" ]
                value, literal, word = characters | quotation
                quotation   = '"' { character | "\"" | "\\" | "\n" | "\r" | "\t" } '"'
                ```

                - `not` binds most, then "and", then `or`. Keywords and field names are case-insensitive. To search
                  for the word `and`, quote it.
                - `-` and `!` directly precede what they negate. White space is allowed around operators.
                - A value ends at white space, a parenthesis or a quotation mark, in a set also at a comma or its end. Anything else belongs to it:
                  `path:/a:b?c=d`. With a backslash any character does: `path:/a\ b`, `key:a\*b`. In quotation marks nothing but `\` and `"` is special.
                - A bare word ends at white space or one of `( ) " { } , : = < > ~ & |`, and at `!=` and `!~`.
                - At most 16,384 characters, 1,000 comparisons (each element of a set is one) and 100 nested
                  parentheses or negations.

                An error has a mark under the invalid characters:

                ```
                there is no field "statsu"; did you mean status?
                  host:a statsu:200
                         ^^^^^^
                ```

                ## What comparisons mean

                A comparison holds where the field has a value that passes. Where it has several (a key for each change, a header that both the
                request and the response have), one is enough. **Where it has none, no comparison holds**, and its negation does:

                | filter | no status | 200 | 404 |
                |---|---|---|---|
                | `status:200` | no | yes | no |
                | `not status:200` | yes | no | yes |
                | `status!=200` | no | no | yes |
                | `has:status`, `status:*` | no | yes | yes |

                `!=` and `!~` mean: there is a value, and none passes `=` or `~`. A field that a thing cannot have is missing: `bucket:notes` holds
                for no exchange, and `not bucket:notes` for all of them.

                | type | written | operators |
                |---|---|---|
                | text | as it is | `:` with wildcards, `=` `!=` exactly, `~` `!~` contains, `~/…/` `=~` expression |
                | integer | `200`, `-1`; `4xx` for 400..499; opcodes also by name | `:` with ranges, `=` `!=` `<` `<=` `>` `>=` |
                | duration | a number and a unit, or several: `200ms`, `1.5s`, `1h30m`; ns us µs ms s m min h d | the same |
                | size | bytes, or with a unit: `512`, `10KiB`, `1.5MB`; B kB MB GB (thousands), KiB MiB GiB (1,024) | the same |
                | boolean | true yes 1, false no 0 | `:` `=` `!=` |
                | body | as it is | `:` and `~` contain, `:` with wildcards contains the pieces in order, `=` is all of it, `~/…/` |
                | words | words | `:` alone |

                - `at` is compared with the wall clock where the value is a day or a time of it, in a trace alone: `at:2026-11-21T14:03:05Z` with
                  `Z` or an offset; `at:2026-11-21`, `at:2026-11-21T14:03` in the time zone of the reader (`TZ`); `at:14:03:05` at that time
                  of any day. A value is all of what it names: a day, a minute, a second, or the digits of its fraction.
                - Ranges include both ends and may lack one: `400..499`, `400..`, `..499`. After `:` a number may
                  have a sign: `size:>10KiB`.
                - The wildcard `*` matches any run of characters, also an empty one, in unquoted values after `:`
                  and `in`. The rest of the value is the whole rest of the text: `path:/a` is that path alone,
                  `path:/a*` all that begin with it.
                - Case: `:` and `=` heed it except in the fields marked "ignored" (host, method and those with a closed list of values). `~` with
                  text never heeds the case of ASCII letters, expressions do unless followed by `i`. Names of headers have no case. Bodies are searched
                  without the case of ASCII letters, words without any case and without diacritics.
                - Text is compared by its bytes: `é` in one scalar and `e` with a combining accent are different, except in words.

                ### Words

                `text:"to be"`, or just `"to be"`, matches where these words are adjacent in the content. A word is
                a run of letters and digits; anything else separates. A star after the last word matches all words
                with this prefix: `resto*`. The text of a command is that of the whole message it came in, and a
                body that is not UTF-8 has no words.

                ### Regular expressions

                Searched for anywhere in the value, in time that grows with its length alone. There are: characters,
                `.` (all but a line feed), `[a-z]`, `[^a-z]`, `(…)`, `(?:…)`, `|`, `*` `+` `?` `{2}` `{2,}` `{2,5}`
                (up to 1,000), `^` and `$` (start and end of the value), `\b` `\B`, `\d` `\w` `\s` and `\D` `\W`
                `\S` (about ASCII), `\n` `\r` `\t` `\f` `\v` `\0` `\x41` `\u0041` `\u{1F600}`, `\A` `\z`, and `(?i)`
                at the start. A slash is written `\/`. There are no lookarounds and no back-references, and an
                expression of more than 4,000 states after expanding its repetitions is refused. In bytes that are
                not UTF-8, `.` and `[^…]` match well-formed characters alone.

                ## Fields

                "Known" is when a field of an exchange gets its value in live traffic; rules that are evaluated
                earlier cannot use it. Commands and messages are evaluated when they are complete, and have all of
                their fields then. `fault`, `verdict`, `finding`, `undecided` and `fate` are for traces alone: no rule can use them.

                | field | type | of | known | case | meaning |
                |---|---|---|---|---|---|
                | `kind` | text | exchange, command, message | when a client connects | ignored | The kind: an exchange, a command or a message. |
                | `id` | integer | exchange, command, message | when the request head is complete | - | Number within its kind, from 1. |
                | `session` | integer | exchange, command, message | when a client connects | - | Number of the session. |
                | `connection` | integer | exchange, command, message | when a client connects | - | Number of the client connection. |
                | `at` | duration | exchange, command, message | when the request head is complete | - | Time since the start of the session: of the first byte of a request or message, of the last byte of a command's message. |
                | `size` | size | exchange, command, message | when the response is complete | - | Bytes of content: both bodies on the wire, the payload of a command, the inflated payload of a message. |
                | `body` | body | exchange, command, message | when the response is complete | ignored | Decoded content: either body of an exchange, the payload of a command or message. |
                | `text` | words | exchange, command, message | when the response is complete | ignored | Words of the content; of a command, those of its whole message. |
                | `note` | text | exchange, command, message | when the response is complete | matters | Code of a note on the bytes, such as http.two-lengths. |
                | `problem` | text | exchange, command, message | when the response is complete | matters | Why it is not complete or could not be read, as text. |
                | `fault` | text | exchange, command, message | - | matters | Name of the rule of a fault that was applied to it; of a command, to its message. Only in a trace. |
                | `verdict` | text | exchange, command, message | - | ignored | Whether the client recovered from such a fault, once that was judged. Only in a trace. |
                | `intervention` | text | exchange, command, message | - | matters | Name of any rule that did something to it, whether to break it or to edit, map or hold it; of a command, to its message. Only in a trace. |
                | `finding` | text | exchange, command, message | - | matters | Rule of a finding that it shows, and its severity: error, warning or info; of a command, what its message shows. Only in a trace that was diagnosed. |
                | `undecided` | text | exchange, command, message | - | matters | Rule of which it could not be decided whether it was broken after this, since the recording ended; of a command, after its message. Only in a trace that was diagnosed. |
                | `fate` | text | exchange, command, message | - | ignored | What became of it between its sender and its receiver. Only in a trace. |
                | `api` | text | exchange | when the request head is complete | matters | What the exchange is for: commcare.restore, simperium.socket, http ... |
                | `method` | text | exchange | when the request head is complete | ignored | Request method. |
                | `scheme` | text | exchange | when the request head is complete | ignored | Scheme; that of a WebSocket is the one of the HTTP it begins with. |
                | `host` | text | exchange | when a client starts TLS | ignored | Host without port. |
                | `port` | integer | exchange | when a client starts TLS | - | TCP port of the server. |
                | `path` | text | exchange | when the request head is complete | matters | Path without query, as sent. |
                | `query` | text | exchange | when the request head is complete | matters | Query without the question mark, as sent. |
                | `url` | text | exchange | when the request head is complete | matters | Absolute URL, without the default port of the scheme. |
                | `version` | text | exchange | when the request head is complete | matters | HTTP version of the request line. |
                | `status` | integer | exchange | when the response head is complete | - | Status of the final response. |
                | `reason` | text | exchange | when the response head is complete | matters | Reason phrase of the final response. |
                | `outcome` | text | exchange | when the response is complete | ignored | How far the exchange got. |
                | `duration` | duration | exchange, message | when the response is complete | - | Time from the first byte to the last, of request and response or of a message. |
                | `device` | text | exchange | when the request head is complete | matters | Device id that the client sent. |
                | `local` | boolean | exchange | when the response head is complete | - | Whether Tapedeck made the response. |
                | `request.size` | size | exchange | when the request is complete | - | Bytes of request content on the wire. |
                | `response.size` | size | exchange | when the response is complete | - | Bytes of response content on the wire. |
                | `retry-after` | text | exchange | when the response head is complete | matters | Retry-After of the response, as sent. |
                | `header.NAME` | text | exchange | when the response head is complete | matters | Value of the header that is named, of the request or the response. |
                | `request.header.NAME` | text | exchange | when the request head is complete | matters | Value of the request header that is named. |
                | `response.header.NAME` | text | exchange | when the response head is complete | matters | Value of the response header that is named. |
                | `request.body` | body | exchange | when the request is complete | ignored | Decoded content of the request. |
                | `response.body` | body | exchange | when the response is complete | ignored | Decoded content of the response. |
                | `document` | text | exchange | when the response is complete | matters | Kind of an OpenRosa document in a body: response, restore, form, actionable, form-list, manifest or xml. |
                | `nature` | text | exchange | when the response is complete | matters | Nature of an OpenRosa message. |
                | `xmlns` | text | exchange | when the response is complete | matters | Namespace of an OpenRosa document's root. |
                | `instance` | text | exchange | when the response is complete | matters | instanceID of a form. |
                | `sync-token` | text | exchange | when the response is complete | matters | Sync token that a restore contains. |
                | `sender` | text | command, message | - | ignored | Who sent it. |
                | `payload` | body | command, message | - | ignored | What follows the name of a command; the decoded payload of a message. |
                | `command` | text | command | - | matters | Name of the command: init, auth, i, e, cv, c, o, h, index ...; of an init the i or cv in its cmd as well. |
                | `channel` | integer | command | - | - | Channel; commands of the connection have none. |
                | `bucket` | text | command | - | matters | Bucket that the channel was opened for. |
                | `app` | text | command | - | matters | Application of the socket. |
                | `key` | text | command | - | matters | Key of the object, of any change. |
                | `cv` | text | command | - | matters | Change version, of the command or any change. |
                | `error` | integer | command | - | - | Error code, of the command or any change. |
                | `ccid` | text | command | - | matters | Client change id of any change; several joined by spaces. |
                | `clientid` | text | command | - | matters | Client that made any change. |
                | `operation` | text | command | - | matters | Operation of any change: M, - or EMPTY. |
                | `sv` | integer | command | - | - | Source version of any change. |
                | `ev` | integer | command | - | - | End version of any change. |
                | `opcode` | integer | message | - | - | Opcode: 1 text, 2 binary, 8 close, 9 ping, 10 pong. |
                | `close-code` | integer | message | - | - | Code of a close message. |

                ## More examples

                ```filter
                status:{200,404,5xx}
                status in (200, 404)
                status!=200
                not status:200
                path~/^\/a\/[a-z-]+\/receiver/
                header.content-type:"application/json"
                request.body:*<n0:instanceID>uuid:*
                retry-after:* status:{429,503}
                outcome:*-cut or outcome:no-response
                nature:ota_restore_pending
                kind:command not sender:client
                command:{c,e} bucket:{notes,tags} size>1kB
                operation:- ev:..3
                error:{400..499,503}
                opcode:{ping,pong}
                note:http.*
                resto* -"progress report"
                id:1000..1020 local:true
                fault:* not verdict:recovered
                fault:overloaded api:commcare.restore
                finding:error
                finding:simperium.change.* key:note1
                undecided:*
                ```

                """#),
        HelpTopic(
            name: "mitmproxy", about: "for those who come from mitmproxy",
            text: #"""
                # Coming from mitmproxy

                | mitmproxy | Tapedeck |
                |---|---|
                | `mitmdump -w app.mitm` | `tapedeck record app.tape`: the trace comes first, and is a SQLite file |
                | `-p 8080`, `--listen-port`, `--listen-host` | `--listen 127.0.0.1:8080` |
                | `--mode reverse:https://HOST` | `--to https://HOST` |
                | `--mode regular` | without `--to` |
                | `--ssl-insecure`, `-k` | `--insecure` |
                | `--ignore-hosts REGEX`, `--allow-hosts REGEX` | `--passthrough HOST`, `--only HOST`, with names or `*.name` |
                | `http://mitm.it` | `http://tapedeck/`; also `tapedeck ca --help-for android` |
                | `~/.mitmproxy/mitmproxy-ca-cert.pem` | `tapedeck ca` prints it |
                | `mitmproxy -r app.mitm` | `tapedeck import app.mitm app.tape`, then `tapedeck ls app.tape` and `tapedeck show app.tape 12` |
                | `~m POST & ~u restore` | `method:POST url~restore` |
                | `~c 503`, `~d HOST`, `~b TEXT`, `~hq NAME` | `status:503`, `host:HOST`, `text:TEXT`, `header.NAME:*` |
                | `!`, `&`, `\|` | `not`, a space or `and`, `or` |
                | `--map-local '\|/config\|file.json'` | `--fault 'path:/config => serve file.json'` |
                | `--map-remote '\|//api.example\|//staging.example'` | `--fault 'host:api.example => map https://staging.example'` |
                | `--modify-body '/~s/old/new'` | `--fault '=> edit replace old new'`, `$1` for a group, and by meaning: `--fault 'path:/a => edit json /user/name Anna'` |
                | `--modify-headers '/~q/X-A/b'` | `--fault '=> edit header X-A b sender=client'`; see `tapedeck help faults` |
                | `--block-list ':~d tracker.example:404'` | `--fault 'host:tracker.example => block 404'` |
                | `--intercept '~u receiver'`, edit, resume | `tapedeck hold app.tape 'path:*receiver*'`: each message opens in your editor; `record --hold` from the start |
                | `--server-replay app.mitm` | `tapedeck replay server app.tape`; what is not recorded goes on with `tapedeck record a.tape --fault '=> recorded app.tape'` |
                | `--client-replay app.mitm` | `tapedeck replay client app.tape --to URL` |
                | `e` and `r`: edit a flow and replay it | `tapedeck send app.tape 12 --edit`, or `--set 'json /name Anna'`; the answer stands beside the recorded one |
                | `--set hardump=x.har`, `export.file` | `tapedeck export`: HAR, flows of mitmproxy, pcapng, curl, text |

                What it does that mitmproxy does not: it decodes CommCare and Simperium, names the rule that a client or server broke
                (`tapedeck diagnose`), injects faults by the meaning of a message, certifies clients, and has a client and servers of its
                own.

                What it does not do:

                - SOCKS, transparent and WireGuard modes, and DNS.
                - HTTP/2 and HTTP/3: clients are offered HTTP/1.1, and those that speak nothing else are recorded as bytes.
                - An upstream proxy: `http_proxy` of its own environment is not read.
                - Client certificates towards servers.
                - A web interface, and scripts. Rules change traffic; SQL and `--json` are for programs.

                """#),
    ]
}
