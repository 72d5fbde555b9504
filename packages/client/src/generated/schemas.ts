// Made by packages/client/scripts/generate.mjs from the OpenAPI description. Change that, and run it again.
export interface components {
    schemas: {
        /** @description SHA-256 of the canonical JSON of `data`, in hex. */
        hash: string;
        /** @description Names the record for ever, even after a drop. */
        luid: string;
        /**
         * Format: date-time
         * @description UTC, with milliseconds.
         */
        moment: string;
        proof: {
            /** @description `ed25519-v2` */
            method: string;
            /** @description Base64 of the raw public key. */
            public: string;
            /** @description SHA-256 of the hash and the canonical `custom`, in hex. */
            digest: string;
            /** @description Base64 of the signature over the bytes of the digest. */
            result: string;
            custom?: {
                [key: string]: unknown;
            };
            /**
             * @description How the proof came about.
             * @enum {string}
             */
            origin?: "key-pair" | "self-signed-token" | "oauth2-token";
            /** @description Handle of the signer that had the key when the proof was stored. */
            signer?: string;
            issuer?: string;
        };
        meta: {
            /** @description Those of the client, then those of the ledger. */
            proofs: components["schemas"]["proof"][];
            status?: string;
            moment: components["schemas"]["moment"];
            /** @description The keys that signed the creation. */
            owners: string[];
            labels?: string[];
            domain?: string;
        };
        "change-meta": {
            /** @description Those of the client, then those of the ledger. */
            proofs: components["schemas"]["proof"][];
            status?: string;
            moment: components["schemas"]["moment"];
            /** @description The keys that signed the creation. */
            owners: string[];
            /** @description Null where there were none. */
            labels?: string[] | null;
            domain?: string;
            change: number;
            /** @enum {string} */
            action: "create" | "update" | "drop";
        };
        "erasable-change-meta": {
            /** @description Those of the client, then those of the ledger. */
            proofs: components["schemas"]["proof"][];
            status?: string;
            moment: components["schemas"]["moment"];
            /** @description The keys that signed the creation. */
            owners: string[];
            /** @description Null where there were none. */
            labels?: string[] | null;
            domain?: string;
            change: number;
            /** @enum {string} */
            action: "create" | "update" | "drop" | "erase";
        };
        "erasure-record": {
            hash: components["schemas"]["hash"];
            data: {
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "answer-meta": {
            /** @description Of the ledger; empty where no ledger is resolved. */
            proofs: components["schemas"]["proof"][];
            moment: components["schemas"]["moment"];
        };
        page: {
            index: number;
            limit: number;
        };
        "counted-page": {
            index: number;
            limit: number;
            total: number;
        };
        "granted-rule": {
            hash: components["schemas"]["hash"];
            data: components["schemas"]["access-value"];
            meta: components["schemas"]["answer-meta"];
        };
        "granted-rules": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["granted-rule"][];
        };
        "schema-error": {
            instancePath: string;
            schemaPath: string;
            keyword: string;
            params: {
                [key: string]: unknown;
            };
            message: string;
            /** @description Of errors in a request body only. */
            path?: string;
            /** @description Of errors in a request body only. */
            errorCode?: string;
        };
        /**
         * @description - `auth.unauthorized` (401): The token is missing, malformed, expired or badly signed.
         *     - `auth.forbidden` (403): The rules do not allow the caller this operation.
         *     - `crypto.hash-invalid` (422): The hash is not the hash of the data.
         *     - `crypto.parent-hash-invalid` (422): The parent is not the hash of the current version.
         *     - `crypto.signature-invalid` (422): A proof does not verify.
         *     - `crypto.signature-missing` (422): A write carries no proof.
         *     - `api.body-malformed` (400): The body is not acceptable JSON, or is too large (then 413).
         *     - `api.query-malformed` (400): The query cannot be read or names an unsupported filter.
         *     - `api.route-not-found` (404): There is no such route, or no such ledger.
         *     - `api.no-tenant-allowed` (422): The operation is not for a single ledger.
         *     - `api.request-timeout` (408): Processing took too long; it may or may not have been done.
         *     - `api.rate-limit-exceeded` (429): Too many requests; try again later.
         *     - `api.unexpected-error` (500): The server failed unexpectedly.
         *     - `record.not-found` (404): There is no such record.
         *     - `record.relation-not-found` (422): The data names a record that does not exist.
         *     - `record.duplicated` (409): A record of the kind with this handle exists already.
         *     - `record.schema-invalid` (422): The body or the data does not match its schema.
         *     - `record.invalid` (422): The request is well-formed but cannot be processed.
         *     - `record.drop-rejected` (422): The record cannot be dropped as things stand.
         *     - `record.update-rejected` (422): The record does not allow this change.
         *     - `record.status-policy-violation` (422): A status policy refuses the status.
         *     - `record.labels-policy-violation` (422): A labels policy refuses the labels.
         *     - `bridge.proxy-response-invalid` (500): A bridge answered a forwarded query unusably.
         *     - `forward.invalid-response` (502): A bridge answered a forwarded operation unusably.
         *     - `forward.unexpected-error` (500): An operation could not be forwarded to its bridge.
         * @enum {string}
         */
        reason: "auth.unauthorized" | "auth.forbidden" | "crypto.hash-invalid" | "crypto.parent-hash-invalid" | "crypto.signature-invalid" | "crypto.signature-missing" | "api.body-malformed" | "api.query-malformed" | "api.route-not-found" | "api.no-tenant-allowed" | "api.request-timeout" | "api.rate-limit-exceeded" | "api.unexpected-error" | "record.not-found" | "record.relation-not-found" | "record.duplicated" | "record.schema-invalid" | "record.invalid" | "record.drop-rejected" | "record.update-rejected" | "record.status-policy-violation" | "record.labels-policy-violation" | "bridge.proxy-response-invalid" | "forward.invalid-response" | "forward.unexpected-error";
        error: {
            hash: components["schemas"]["hash"];
            data: {
                reason: components["schemas"]["reason"];
                detail: string;
                custom?: {
                    errors?: (components["schemas"]["schema-error"] | string)[];
                } & {
                    [key: string]: unknown;
                };
            };
            meta: components["schemas"]["answer-meta"];
        };
        "server-information": {
            hash: components["schemas"]["hash"];
            data: {
                handle: string;
                /** Format: uri */
                server: string;
                semver: string;
                /** @description Handle of the ledger of the request; absent where it has none. */
                ledger?: string;
                /**
                 * @description DOWN while the database does not answer.
                 * @enum {string}
                 */
                status: "UP" | "DOWN";
                /** @description Seconds that the answering process has served. */
                uptime: number;
                dependencies: {
                    /** @enum {string} */
                    db: "CONNECTED" | "ERROR";
                };
                build: string;
            };
            meta: {
                moment: components["schemas"]["moment"];
            };
        };
        event: {
            /** @description By signal. */
            data: components["schemas"]["ledger-created-event"] | components["schemas"]["ledger-updated-event"] | components["schemas"]["ledger-proofs-added-event"] | components["schemas"]["signer-created-event"] | components["schemas"]["signer-updated-event"] | components["schemas"]["signer-proofs-added-event"] | components["schemas"]["signer-factor-created-event"] | components["schemas"]["signer-factor-updated-event"] | components["schemas"]["signer-factor-proofs-added-event"] | components["schemas"]["signer-factor-dropped-event"] | components["schemas"]["domain-created-event"] | components["schemas"]["domain-updated-event"] | components["schemas"]["domain-proofs-added-event"] | components["schemas"]["report-created-event"] | components["schemas"]["report-proofs-added-event"] | components["schemas"]["report-dropped-event"] | components["schemas"]["policy-created-event"] | components["schemas"]["policy-updated-event"] | components["schemas"]["policy-proofs-added-event"] | components["schemas"]["schema-created-event"] | components["schemas"]["schema-updated-event"] | components["schemas"]["schema-proofs-added-event"] | components["schemas"]["effect-created-event"] | components["schemas"]["effect-updated-event"] | components["schemas"]["effect-proofs-added-event"] | components["schemas"]["effect-dropped-event"] | components["schemas"]["circle-created-event"] | components["schemas"]["circle-updated-event"] | components["schemas"]["circle-proofs-added-event"] | components["schemas"]["anchor-created-event"] | components["schemas"]["anchor-updated-event"] | components["schemas"]["anchor-proofs-added-event"] | components["schemas"]["anchor-dropped-event"] | components["schemas"]["wallet-created-event"] | components["schemas"]["wallet-updated-event"] | components["schemas"]["wallet-proofs-added-event"] | components["schemas"]["wallet-dropped-event"] | components["schemas"]["intent-created-event"] | components["schemas"]["intent-updated-event"] | components["schemas"]["intent-proofs-added-event"] | components["schemas"]["symbol-created-event"] | components["schemas"]["symbol-updated-event"] | components["schemas"]["symbol-proofs-added-event"] | components["schemas"]["bridge-created-event"] | components["schemas"]["bridge-updated-event"] | components["schemas"]["bridge-proofs-added-event"] | components["schemas"]["bridge-dropped-event"] | components["schemas"]["balance-received-event"] | components["schemas"]["wallet-limited-event"];
            hash: components["schemas"]["hash"];
            meta: {
                /** @description One, of the ledger, for this delivery. */
                proofs: components["schemas"]["proof"][];
            };
        };
        "ledger-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "ledger-created";
            /** @description As it was served after the change. */
            ledger: components["schemas"]["ledger"];
        };
        "ledger-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "ledger-updated";
            /** @description As it was served after the change. */
            ledger: components["schemas"]["ledger"];
            /** @description As it was before. */
            parent: components["schemas"]["ledger"];
        };
        "ledger-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "ledger-proofs-added";
            /** @description Handle of the record. */
            ledger: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "signer-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "signer-created";
            /** @description As it was served after the change. */
            signer: components["schemas"]["signer"];
        };
        "signer-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "signer-updated";
            /** @description As it was served after the change. */
            signer: components["schemas"]["signer"];
            /** @description As it was before. */
            parent: components["schemas"]["signer"];
        };
        "signer-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "signer-proofs-added";
            /** @description Handle of the record. */
            signer: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "signer-factor-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "signer-factor-created";
            /** @description As it was served after the change. */
            "signer-factor": components["schemas"]["signer-factor"];
        };
        "signer-factor-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "signer-factor-updated";
            /** @description As it was served after the change. */
            "signer-factor": components["schemas"]["signer-factor"];
            /** @description As it was before. */
            parent: components["schemas"]["signer-factor"];
        };
        "signer-factor-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "signer-factor-proofs-added";
            /** @description Handle of the record. */
            "signer-factor": string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "signer-factor-dropped-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "signer-factor-dropped";
            /** @description As it was before. */
            parent: components["schemas"]["signer-factor"];
        };
        "domain-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "domain-created";
            /** @description As it was served after the change. */
            domain: components["schemas"]["domain"];
        };
        "domain-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "domain-updated";
            /** @description As it was served after the change. */
            domain: components["schemas"]["domain"];
            /** @description As it was before. */
            parent: components["schemas"]["domain"];
        };
        "domain-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "domain-proofs-added";
            /** @description Handle of the record. */
            domain: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "report-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "report-created";
            /** @description As it was served after the change. */
            report: components["schemas"]["report"];
        };
        "report-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "report-proofs-added";
            /** @description Handle of the record. */
            report: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "report-dropped-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "report-dropped";
            /** @description As it was before. */
            parent: components["schemas"]["report"];
        };
        "policy-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "policy-created";
            /** @description As it was served after the change. */
            policy: components["schemas"]["policy"];
        };
        "policy-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "policy-updated";
            /** @description As it was served after the change. */
            policy: components["schemas"]["policy"];
            /** @description As it was before. */
            parent: components["schemas"]["policy"];
        };
        "policy-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "policy-proofs-added";
            /** @description Handle of the record. */
            policy: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "schema-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "schema-created";
            /** @description As it was served after the change. */
            schema: components["schemas"]["schema"];
        };
        "schema-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "schema-updated";
            /** @description As it was served after the change. */
            schema: components["schemas"]["schema"];
            /** @description As it was before. */
            parent: components["schemas"]["schema"];
        };
        "schema-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "schema-proofs-added";
            /** @description Handle of the record. */
            schema: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "effect-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "effect-created";
            /** @description As it was served after the change. */
            effect: components["schemas"]["effect"];
        };
        "effect-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "effect-updated";
            /** @description As it was served after the change. */
            effect: components["schemas"]["effect"];
            /** @description As it was before. */
            parent: components["schemas"]["effect"];
        };
        "effect-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "effect-proofs-added";
            /** @description Handle of the record. */
            effect: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "effect-dropped-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "effect-dropped";
            /** @description As it was before. */
            parent: components["schemas"]["effect"];
        };
        "circle-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "circle-created";
            /** @description As it was served after the change. */
            circle: components["schemas"]["circle"];
        };
        "circle-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "circle-updated";
            /** @description As it was served after the change. */
            circle: components["schemas"]["circle"];
            /** @description As it was before. */
            parent: components["schemas"]["circle"];
        };
        "circle-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "circle-proofs-added";
            /** @description Handle of the record. */
            circle: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "anchor-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "anchor-created";
            /** @description As it was served after the change. */
            anchor: components["schemas"]["anchor"];
        };
        "anchor-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "anchor-updated";
            /** @description As it was served after the change. */
            anchor: components["schemas"]["anchor"];
            /** @description As it was before. */
            parent: components["schemas"]["anchor"];
        };
        "anchor-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "anchor-proofs-added";
            /** @description Handle of the record. */
            anchor: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "anchor-dropped-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "anchor-dropped";
            /** @description As it was before. */
            parent: components["schemas"]["anchor"];
        };
        "wallet-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "wallet-created";
            /** @description As it was served after the change. */
            wallet: components["schemas"]["wallet"];
        };
        "wallet-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "wallet-updated";
            /** @description As it was served after the change. */
            wallet: components["schemas"]["wallet"];
            /** @description As it was before. */
            parent: components["schemas"]["wallet"];
        };
        "wallet-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "wallet-proofs-added";
            /** @description Handle of the record. */
            wallet: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "wallet-dropped-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "wallet-dropped";
            /** @description As it was before. */
            parent: components["schemas"]["wallet"];
        };
        "intent-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "intent-created";
            /** @description As it was served after the change. */
            intent: components["schemas"]["intent"];
        };
        "intent-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "intent-updated";
            /** @description As it was served after the change. */
            intent: components["schemas"]["intent"];
            /** @description As it was before. */
            parent: components["schemas"]["intent"];
        };
        "intent-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "intent-proofs-added";
            /** @description Handle of the record. */
            intent: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "symbol-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "symbol-created";
            /** @description As it was served after the change. */
            symbol: components["schemas"]["symbol"];
        };
        "symbol-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "symbol-updated";
            /** @description As it was served after the change. */
            symbol: components["schemas"]["symbol"];
            /** @description As it was before. */
            parent: components["schemas"]["symbol"];
        };
        "symbol-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "symbol-proofs-added";
            /** @description Handle of the record. */
            symbol: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "bridge-created-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "bridge-created";
            /** @description As it was served after the change. */
            bridge: components["schemas"]["bridge"];
        };
        "bridge-updated-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "bridge-updated";
            /** @description As it was served after the change. */
            bridge: components["schemas"]["bridge"];
            /** @description As it was before. */
            parent: components["schemas"]["bridge"];
        };
        "bridge-proofs-added-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "bridge-proofs-added";
            /** @description Handle of the record. */
            bridge: string;
            /** @description One: that of the ledger, or the one that was added. */
            proofs: components["schemas"]["proof"][];
        };
        "bridge-dropped-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "bridge-dropped";
            /** @description As it was before. */
            parent: components["schemas"]["bridge"];
        };
        "balance-received-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "balance-received";
            wallet: components["schemas"]["wallet"];
            symbol: components["schemas"]["symbol"];
            intent: components["schemas"]["intent"];
            /** @description What was credited. */
            amount: number;
        };
        "wallet-limited-event": {
            /** @description The same for all receivers: what was received once is known by it. */
            handle: string;
            /** @enum {string} */
            signal: "wallet-limited";
            wallet: components["schemas"]["wallet"];
            symbol: components["schemas"]["symbol"];
            intent: components["schemas"]["intent"];
            /** @description Of the limit. */
            amount: number;
            metric: string;
        };
        delivery: {
            luid: components["schemas"]["luid"];
            /** @description Of `data` without the members that are null. */
            hash: components["schemas"]["hash"];
            meta: {
                /** @description Of the ledger: one for each attempt, and one when it gave up. */
                proofs: components["schemas"]["proof"][];
                moment: components["schemas"]["moment"];
                /** @enum {string} */
                status: "pending" | "running" | "delivered" | "failed" | "cancelled" | "erased";
                /** @description Attempts made. */
                replay: number;
                /** @description The body that is sent, once it was: an event, or what a bridge is told of an intent. */
                output: components["schemas"]["event"] | components["schemas"]["bridge-entry-call"] | components["schemas"]["bridge-command-call"] | components["schemas"]["called-intent"] | null;
            };
            data: {
                handle: string;
                /** @description Null for a webhook. */
                bridge: string | null;
                effect: string | null;
                /** @enum {string|null} */
                record: "ledger" | "signer" | "signer-factor" | "domain" | "report" | "policy" | "schema" | "effect" | "circle" | "circle-signer" | "anchor" | "wallet" | "intent" | "symbol" | "bridge" | null;
                /** @description Handle of that record; null for one that was dropped. */
                linked: string | null;
            };
        };
        "delivery-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["delivery"][];
            page: components["schemas"]["page"];
        };
        "bridge-entry": {
            /** @description The key to idempotency, and what reports name. */
            handle: string;
            luid: string;
            /** @enum {string} */
            schema: "debit" | "credit";
            /** @description As the claim has it, in object form; null on the other side of a group. */
            source: components["schemas"]["claim-address"] | null;
            /** @description As the claim has it, in object form; null on the other side of a group. */
            target: components["schemas"]["claim-address"] | null;
            symbol: components["schemas"]["claim-address"];
            amount: number;
            /** @description Indexes of claims. */
            inputs: number[];
            /** @description As it was when the call was planned. */
            intent: components["schemas"]["called-intent"];
        };
        "bridge-command": {
            /** @description The key to idempotency, and what reports name. */
            handle: string;
            /** @enum {string} */
            action: "commit" | "abort";
            /** @description As it was when the call was planned. */
            intent: components["schemas"]["called-intent"];
        };
        "bridge-entry-call": {
            hash: components["schemas"]["hash"];
            data: components["schemas"]["bridge-entry"];
            meta: {
                /** @description One, by the ledger, which says `moment` alone. */
                proofs: components["schemas"]["proof"][];
            };
        };
        "bridge-command-call": {
            hash: components["schemas"]["hash"];
            data: components["schemas"]["bridge-command"];
            meta: {
                /** @description One, by the ledger, which says `moment` alone. */
                proofs: components["schemas"]["proof"][];
            };
        };
        /** @description An intent as bridges are shown it: with `meta.domains` in some calls only. */
        "called-intent": {
            hash: components["schemas"]["hash"];
            data: {
                origin?: string;
            } & components["schemas"]["intent-data"];
            luid: components["schemas"]["luid"];
            meta: {
                thread: string;
                domains?: string[];
                routed?: boolean;
            } & components["schemas"]["meta"];
        };
        /** @description Each item is the data of an anchor or domain; 1,000 at most. */
        "bridge-items": {
            data: {
                [key: string]: unknown;
            }[];
        };
        /** @description An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain. */
        handle: string;
        /** @enum {string} */
        "access-action": "abort" | "access" | "activate" | "retry-event" | "any" | "assign-signer" | "commit" | "create" | "destroy" | "drop" | "issue" | "limit" | "lookup" | "manage" | "query" | "read" | "remove-signer" | "spend" | "update" | "reveal" | "query-event" | "erase";
        /** @enum {string} */
        "record-name": "anchor" | "anchor-proof" | "any" | "bridge" | "bridge-proof" | "circle" | "circle-proof" | "circle-signer" | "domain" | "domain-proof" | "effect" | "effect-proof" | "intent" | "intent-proof" | "ledger" | "ledger-proof" | "policy" | "policy-proof" | "report" | "report-proof" | "request" | "schema" | "schema-proof" | "server" | "signer" | "signer-proof" | "signer-factor" | "signer-factor-proof" | "signer-factor-secret" | "symbol" | "symbol-proof" | "wallet" | "wallet-proof";
        /** @enum {string} */
        signal: "anchor-created" | "anchor-dropped" | "anchor-proofs-added" | "anchor-updated" | "balance-received" | "bridge-created" | "bridge-entry-created" | "bridge-entry-proofs-added" | "bridge-entry-updated" | "bridge-proofs-added" | "bridge-updated" | "circle-created" | "circle-proofs-added" | "circle-updated" | "domain-created" | "domain-proofs-added" | "domain-updated" | "effect-created" | "effect-proofs-added" | "effect-updated" | "effect-dropped" | "intent-created" | "intent-proofs-added" | "intent-updated" | "ledger-created" | "ledger-proofs-added" | "ledger-updated" | "policy-created" | "policy-proofs-added" | "policy-updated" | "report-created" | "report-dropped" | "report-proofs-added" | "report-updated" | "request-created" | "request-proofs-added" | "request-updated" | "schema-created" | "schema-proofs-added" | "schema-updated" | "signer-created" | "signer-proofs-added" | "signer-updated" | "signer-factor-created" | "signer-factor-updated" | "signer-factor-proofs-added" | "signer-factor-dropped" | "symbol-created" | "symbol-proofs-added" | "symbol-updated" | "wallet-created" | "wallet-limited" | "wallet-proofs-added" | "wallet-updated" | "wallet-dropped" | "bridge-dropped";
        "anchor-target": string | {
            handle: string;
            custom?: {
                [key: string]: unknown;
            };
        };
        "wallet-route": {
            /** @enum {string} */
            action: "debit" | "credit" | "accept" | "forward";
            filter?: {
                [key: string]: unknown;
            };
            target?: components["schemas"]["handle"];
        };
        "claim-address": components["schemas"]["handle"] | {
            handle: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
        };
        "issue-claim": {
            /** @enum {string} */
            action: "issue";
            target: components["schemas"]["claim-address"];
            symbol: components["schemas"]["claim-address"];
            amount: number;
            custom?: {
                [key: string]: unknown;
            };
        };
        "transfer-claim": {
            /** @enum {string} */
            action: "transfer";
            source: components["schemas"]["claim-address"];
            target: components["schemas"]["claim-address"];
            symbol: components["schemas"]["claim-address"];
            amount: number;
            custom?: {
                [key: string]: unknown;
            };
        };
        "destroy-claim": {
            /** @enum {string} */
            action: "destroy";
            source: components["schemas"]["claim-address"];
            symbol: components["schemas"]["claim-address"];
            amount: number;
            custom?: {
                [key: string]: unknown;
            };
        };
        "limit-claim": {
            /** @enum {string} */
            action: "limit";
            wallet: components["schemas"]["claim-address"];
            symbol: components["schemas"]["claim-address"];
            /** @enum {string} */
            metric: "minBalance" | "maxBalance" | "dailyAmount" | "dailyCount";
            amount: number;
            custom?: {
                [key: string]: unknown;
            };
        };
        claim: components["schemas"]["issue-claim"] | components["schemas"]["transfer-claim"] | components["schemas"]["destroy-claim"] | components["schemas"]["limit-claim"];
        "security-rule": {
            /** @enum {string} */
            schema: "oauth2";
            clientId: string;
            clientSecret: string;
            tokenUrl: string;
            scope?: string;
        } | {
            /** @enum {string} */
            schema: "header";
            key: string;
            value: string;
        } | {
            schema: string;
            public: string;
            secret: string;
        };
        "bridge-trait": ("debits" | "credits" | "statuses" | "anchors" | "domains" | "effects" | "ping") | {
            /** @enum {string} */
            method: "debits" | "credits" | "statuses" | "anchors" | "domains" | "effects" | "ping";
            filter?: {
                [key: string]: unknown;
            };
        };
        inclusion: {
            hash: components["schemas"]["hash"];
            data: {
                /** @description The name of the log. */
                origin: string;
                /** @description Position of the leaf. */
                index: number;
                /** @description Leaves of the tree that the proof leads to. */
                size: number;
                /** @description What the leaf says of the change: SHA-256, in hex. */
                commitment: string;
                /** @description Base64 of 16 bytes, without which nobody can try what the change may be. */
                salt: string;
                /** @description A proof file (`c2sp.org/tlog-proof@v1`), which holds the signed checkpoint. */
                proof: string;
            };
            meta: components["schemas"]["answer-meta"];
        };
        "found-anchors": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: (components["schemas"]["anchor"] | components["schemas"]["bridged-anchor"])[];
        };
        "bridged-anchor": {
            /** @description The data of a anchor, as a bridge has it. */
            data: {
                [key: string]: unknown;
            };
            /** @description Empty. */
            meta: {
                [key: string]: unknown;
            };
        };
        "found-domains": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["bridged-domain"][];
        };
        "bridged-domain": {
            /** @description The data of a domain, as a bridge has it. */
            data: {
                [key: string]: unknown;
            };
            /** @description Empty. */
            meta: {
                [key: string]: unknown;
            };
        };
        "balance-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["balance"][];
            page: components["schemas"]["counted-page"];
        };
        balance: {
            /**
             * @description Empty.
             * @enum {string}
             */
            hash: "";
            data: {
                /**
                 * @description Once the row has changed since it was made.
                 * @enum {string}
                 */
                parent?: "";
                /** @description Handle of the wallet. */
                wallet: string;
                /** @description Handle of the symbol. */
                symbol: string;
                /** @enum {string} */
                schema: "available" | "reserved";
                /** @description In 1/factor units of the symbol; may be negative. */
                amount: number;
            };
            luid: components["schemas"]["luid"];
            meta: {
                /** @description Of the last change of the row. */
                moment: components["schemas"]["moment"];
            };
        };
        "wallet-limit-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["wallet-limit"][];
            page: components["schemas"]["counted-page"];
        };
        "wallet-limit": {
            hash: components["schemas"]["hash"];
            data: {
                /** @description Handle of the wallet. */
                wallet: string;
                /** @description Handle of the symbol. */
                symbol: string;
                /** @enum {string} */
                metric: "minBalance" | "maxBalance" | "dailyAmount" | "dailyCount";
                /** @description In 1/factor units of the symbol; of `dailyCount` a number. */
                amount: number;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["answer-meta"];
        };
        log: {
            hash: components["schemas"]["hash"];
            data: {
                /** @description The name of the log. */
                origin: string | null;
                /** @description Rises when an operator begins a new tree. */
                generation: number | null;
                /** @description Leaves of the tree. */
                size: number;
                /** @description Base64 of 32 bytes. */
                root: string | null;
                /** @description The signed note. */
                checkpoint: string | null;
                /** @description When leaves were last added. */
                sealed: string | null;
                unsealed: {
                    /** @description Changes that wait, of the oldest 512 commits. */
                    count: number;
                    /** @description Milliseconds since the oldest of them was stored. */
                    age: number;
                    /** @description Whether changes of before the log are still to be added. */
                    before: boolean;
                };
                /** @description Why the log is stopped; null while all is well. */
                stopped: string | null;
            };
            meta: components["schemas"]["answer-meta"];
        };
        consistency: {
            hash: components["schemas"]["hash"];
            data: {
                /** @description The name of the log. */
                origin: string;
                /** @description Leaves of the older tree. */
                from: number;
                /** @description Leaves of the newer tree. */
                to: number;
                /** @description Base64 of 32 bytes each, in the order of RFC 6962 §2.1.2. */
                hashes: string[];
            };
            meta: components["schemas"]["answer-meta"];
        };
        "request-entry": {
            hash: components["schemas"]["hash"];
            data: {
                handle: string;
                /** @enum {string} */
                schema: "rest";
                /** @description What was asked for, as rules name it. */
                record: string;
                action: string;
                /** @description `signer:<handle>`; null for a caller who is not a signer. */
                source: string | null;
                /** @description `ledger:<handle>`. */
                target: string;
                params: {
                    method: string;
                    /** @description The path, with luids; the name of a parameter in braces stands for a handle that led to no record. */
                    url: string;
                    headers: {
                        [key: string]: string;
                    };
                    /** @description JSON with `hash` and `luid` of the body that was sent, as far as it has them. */
                    body?: string;
                    /** @description The address of the client, of IPv6 the network. */
                    from: string;
                    /** @description The caller's public key. */
                    key?: string;
                    /**
                     * @description The key is that of a factor.
                     * @enum {boolean}
                     */
                    isFactor?: true;
                    moment: components["schemas"]["moment"];
                };
                result: {
                    /** @description The HTTP status of the answer. */
                    status: number;
                    /** @description JSON with what the answer is about: `luid` and `meta.change` of what was stored, or `data.reason`. */
                    body?: string;
                    moment: components["schemas"]["moment"];
                };
                /** @description Entries before this one that were left out. */
                dropped?: number;
            };
            luid: components["schemas"]["luid"];
            meta: {
                proofs: components["schemas"]["proof"][];
                /** @enum {string} */
                status: "completed" | "rejected" | "failed";
                moment: components["schemas"]["moment"];
            };
        };
        "request-entry-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["request-entry"][];
            page: components["schemas"]["page"];
        };
        condition: (string | number | boolean) | {
            $eq?: string | number | boolean;
            $ne?: string | number | boolean;
            $in?: (string | number | boolean)[];
            $nin?: (string | number | boolean)[];
            $regex?: string;
        };
        "signer-matcher": {
            public?: components["schemas"]["condition"];
            handle?: components["schemas"]["condition"];
            format?: components["schemas"]["condition"];
            schema?: components["schemas"]["condition"];
            custom?: {
                [key: string]: unknown;
            };
            $circle?: string | {
                $in: string[];
            };
            /** @enum {string} */
            $record?: "owner" | "creator";
            /** @enum {string} */
            $ledger?: "owner" | "creator";
        } | {
            $in: {
                public?: components["schemas"]["condition"];
                handle?: components["schemas"]["condition"];
                format?: components["schemas"]["condition"];
                schema?: components["schemas"]["condition"];
                custom?: {
                    [key: string]: unknown;
                };
                $circle?: string | {
                    $in: string[];
                };
                /** @enum {string} */
                $record?: "owner" | "creator";
                /** @enum {string} */
                $ledger?: "owner" | "creator";
            }[];
        };
        "access-entry": {
            action?: components["schemas"]["access-action"] | ({
                $in: components["schemas"]["access-action"][];
            } | {
                $nin: components["schemas"]["access-action"][];
            });
            record?: components["schemas"]["record-name"] | ({
                $in: components["schemas"]["record-name"][];
            } | {
                $nin: components["schemas"]["record-name"][];
            });
            signer?: components["schemas"]["signer-matcher"];
            bearer?: ({
                iss?: components["schemas"]["condition"];
                sub?: components["schemas"]["condition"];
                aud?: components["schemas"]["condition"];
                hsh?: boolean;
                $signer?: components["schemas"]["signer-matcher"];
            } & {
                [key: string]: unknown;
            }) | {
                $in: ({
                    iss?: components["schemas"]["condition"];
                    sub?: components["schemas"]["condition"];
                    aud?: components["schemas"]["condition"];
                    hsh?: boolean;
                    $signer?: components["schemas"]["signer-matcher"];
                } & {
                    [key: string]: unknown;
                })[];
            };
            policy?: string | {
                $in: string[];
            };
        } | {
            action: unknown;
        } | {
            policy: unknown;
        };
        "access-value": {
            action: components["schemas"]["access-action"] | ({
                $in: components["schemas"]["access-action"][];
            } | {
                $nin: components["schemas"]["access-action"][];
            });
            record?: components["schemas"]["record-name"] | ({
                $in: components["schemas"]["record-name"][];
            } | {
                $nin: components["schemas"]["record-name"][];
            });
            signer?: components["schemas"]["signer-matcher"];
            bearer?: ({
                iss?: components["schemas"]["condition"];
                sub?: components["schemas"]["condition"];
                aud?: components["schemas"]["condition"];
                hsh?: boolean;
                $signer?: components["schemas"]["signer-matcher"];
            } & {
                [key: string]: unknown;
            }) | {
                $in: ({
                    iss?: components["schemas"]["condition"];
                    sub?: components["schemas"]["condition"];
                    aud?: components["schemas"]["condition"];
                    hsh?: boolean;
                    $signer?: components["schemas"]["signer-matcher"];
                } & {
                    [key: string]: unknown;
                })[];
            };
            filter?: {
                [key: string]: components["schemas"]["condition"];
            };
            invoke?: string;
        };
        erasure: {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                luid: string;
                change: number;
                reason: string;
            };
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        check: {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                action: components["schemas"]["access-action"];
                record?: components["schemas"]["record-name"];
            };
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        lookup: {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                /** @description The address, as it is in the path. */
                wallet: string;
                signal?: never;
                action?: never;
                parent?: never;
                metric?: never;
                handle?: unknown;
            } & {
                [key: string]: unknown;
            };
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        retry: {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                maxAge?: number;
                handle?: string;
            };
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "sent-proof": {
            /** @description `ed25519-v2` */
            method: string;
            /** @description Base64 of the raw public key. */
            public: string;
            /** @description SHA-256 of the text of `hash` followed by the canonical JSON of `custom`, in hex. */
            digest: string;
            /** @description Base64 of the Ed25519 signature over the 32 bytes of the digest. */
            result: string;
            custom?: {
                moment?: string;
                status?: string | null;
                domain?: string;
            } & {
                [key: string]: unknown;
            };
        } | {
            custom?: {
                moment?: string;
                status?: string | null;
                domain?: string;
            } & {
                [key: string]: unknown;
            };
        };
        "ledger-data": {
            handle: components["schemas"]["handle"];
            /** @enum {string} */
            signer?: "system";
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
            config?: ({
                /** @enum {string} */
                "access.strategy"?: "record-based" | "policy-based";
                "intent.expiryThresholdMinutes"?: number;
                "intent.creditorInitiatedTransfersEnabled"?: boolean;
                "anchor.walletRequired"?: boolean;
                "authentication.twoFactor.enabled"?: boolean;
                "domain.resolutionFromHandleEnabled"?: boolean;
                "limits.aggregated.enabled"?: boolean;
                /** @enum {string} */
                log?: "open" | "members" | "closed";
                "policy.scheduleProcessorEnabled"?: boolean;
                "proof.ledgerRequired"?: boolean;
                "request.journalingEnabled"?: boolean;
                "signer.factor.oauth.allowClientCredentials"?: boolean;
                "token.audiences"?: string[];
            } & {
                [key: string]: unknown;
            }) | null;
        };
        "ledger-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["ledger-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "ledger-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["ledger-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "ledger-proof": components["schemas"]["sent-proof"];
        ledger: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["ledger-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "ledger-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["ledger"][];
            page: components["schemas"]["page"];
        };
        "ledger-change": {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["ledger-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["change-meta"];
        };
        "ledger-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["ledger-change"][];
            page: components["schemas"]["counted-page"];
        };
        "signer-data": {
            handle: components["schemas"]["handle"];
            public: string;
            /** @enum {string} */
            format: "ed25519-raw";
            secret?: string;
            schema?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "signer-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["signer-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "signer-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["signer-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "signer-proof": components["schemas"]["sent-proof"];
        signer: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["signer-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "signer-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["signer"][];
            page: components["schemas"]["page"];
        };
        "signer-change": {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["signer-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["change-meta"];
        };
        "signer-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["signer-change"][];
            page: components["schemas"]["counted-page"];
        };
        "signer-factor-data": components["schemas"]["other-signer-factor-data"] | components["schemas"]["oauth-client-credentials-signer-factor-data"] | components["schemas"]["key-pair-signer-factor-data"];
        "other-signer-factor-data": {
            handle: components["schemas"]["handle"];
            signer: components["schemas"]["handle"];
            schema?: components["schemas"]["handle"];
            secret?: string;
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
            public?: string;
            format?: string;
        };
        "oauth-client-credentials-signer-factor-data": {
            handle: components["schemas"]["handle"];
            signer: components["schemas"]["handle"];
            /** @enum {string} */
            schema: "oauth-client-credentials";
            clientId?: string;
            clientSecret?: string;
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "key-pair-signer-factor-data": {
            handle: components["schemas"]["handle"];
            signer: components["schemas"]["handle"];
            /** @enum {string} */
            schema: "key-pair";
            /** @enum {string} */
            format: "ed25519-raw" | "rsa-der";
            public: string;
            secret?: string | null;
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "signer-factor-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["signer-factor-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "signer-factor-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["signer-factor-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "signer-factor-proof": components["schemas"]["sent-proof"];
        "signer-factor-drop": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: string;
            };
            luid: string;
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "signer-factor": {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["signer-factor-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"] & {
                /** @description Values of the secrets the data refers to, only where `include=meta.secret` asks for them. */
                secret?: {
                    [key: string]: string;
                };
            };
        };
        "signer-factor-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["signer-factor"][];
            page: components["schemas"]["page"];
        };
        "signer-factor-change": {
            hash: components["schemas"]["hash"];
            data: ({
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["signer-factor-data"]) | {
                handle?: never;
                schema?: never;
                signer?: never;
                format?: never;
                public?: never;
                clientId?: never;
                clientSecret?: never;
                secret?: never;
                custom?: never;
                access?: never;
                parent?: never;
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["erasable-change-meta"] & {
                /** @description Values of the secrets the data refers to, only where `include=meta.secret` asks for them. */
                secret?: {
                    [key: string]: string;
                };
            };
        };
        "signer-factor-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["signer-factor-change"][];
            page: components["schemas"]["counted-page"];
        };
        "domain-data": {
            handle: components["schemas"]["handle"];
            schema?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "domain-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["domain-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "domain-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
                domain?: string;
            } & components["schemas"]["domain-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "domain-proof": components["schemas"]["sent-proof"];
        domain: {
            /** @description Of `data`, or of `data` without `domain`: the ledger shows it whether or not the client has signed it. It is `meta.domain`. */
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
                domain?: string;
            } & components["schemas"]["domain-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "domain-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["domain"][];
            page: components["schemas"]["page"];
        };
        "domain-change": {
            /** @description Of `data`, or of `data` without `domain`: the ledger shows it whether or not the client has signed it. It is `meta.domain`. */
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
                domain?: string;
            } & components["schemas"]["domain-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["change-meta"];
        };
        "domain-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["domain-change"][];
            page: components["schemas"]["counted-page"];
        };
        "report-data": {
            handle: components["schemas"]["handle"];
            schema: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "report-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["report-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "report-proof": {
            /** @description `ed25519-v2` */
            method: string;
            /** @description Base64 of the raw public key. */
            public: string;
            /** @description SHA-256 of the text of `hash` followed by the canonical JSON of `custom`, in hex. */
            digest: string;
            /** @description Base64 of the Ed25519 signature over the 32 bytes of the digest. */
            result: string;
            custom?: {
                moment?: string;
                /** @enum {string} */
                status?: "created" | "pending" | "completed" | "rejected" | "settled";
                domain?: string;
            } & {
                [key: string]: unknown;
            };
        } | {
            custom?: {
                moment?: string;
                /** @enum {string} */
                status?: "created" | "pending" | "completed" | "rejected" | "settled";
                domain?: string;
            } & {
                [key: string]: unknown;
            };
        };
        "report-drop": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: string;
            };
            luid: string;
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        report: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["report-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"] & {
                assets?: ({
                    handle: string;
                    output: string;
                } & {
                    [key: string]: unknown;
                })[];
            };
        };
        "report-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["report"][];
            page: components["schemas"]["page"];
        };
        "report-change": {
            hash: components["schemas"]["hash"];
            data: ({
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["report-data"]) | {
                handle?: never;
                schema?: never;
                custom?: never;
                access?: never;
                parent?: never;
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["erasable-change-meta"] & {
                assets?: ({
                    handle: string;
                    output: string;
                } & {
                    [key: string]: unknown;
                })[];
            };
        };
        "report-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["report-change"][];
            page: components["schemas"]["counted-page"];
        };
        "policy-data": components["schemas"]["layout-policy-data"] | components["schemas"]["status-policy-data"] | components["schemas"]["labels-policy-data"] | components["schemas"]["access-policy-data"] | components["schemas"]["schedule-policy-data"] | components["schemas"]["processing-policy-data"] | components["schemas"]["authentication-policy-data"] | components["schemas"]["dtc-policy-data"] | components["schemas"]["other-policy-data"];
        "layout-policy-data": {
            handle: components["schemas"]["handle"];
            /** @enum {string} */
            schema: "layout";
            record?: components["schemas"]["record-name"];
            values: {
                record: components["schemas"]["record-name"];
                values: {
                    data: {
                        [key: string]: unknown;
                    };
                    custom?: {
                        [key: string]: unknown;
                    };
                }[];
                custom?: {
                    [key: string]: unknown;
                };
            }[];
            extend?: components["schemas"]["handle"] | components["schemas"]["handle"][];
            filter?: {
                [key: string]: unknown;
            };
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "status-policy-data": {
            handle: components["schemas"]["handle"];
            /** @enum {string} */
            schema: "status";
            record?: components["schemas"]["record-name"];
            values: {
                quorum: components["schemas"]["signer-matcher"][];
                status?: string | {
                    $in: string[];
                } | {
                    $nin: string[];
                };
                filter?: {
                    [key: string]: unknown;
                };
            }[];
            extend?: components["schemas"]["handle"] | components["schemas"]["handle"][];
            filter?: {
                [key: string]: unknown;
            };
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "labels-policy-data": {
            handle: components["schemas"]["handle"];
            /** @enum {string} */
            schema: "labels";
            record?: components["schemas"]["record-name"];
            values: {
                label?: string | {
                    $in: string[];
                } | {
                    $nin: string[];
                } | {
                    $regex: string;
                };
                unique?: boolean;
                filter?: {
                    [key: string]: unknown;
                };
            }[];
            extend?: components["schemas"]["handle"] | components["schemas"]["handle"][];
            filter?: {
                [key: string]: unknown;
            };
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "access-policy-data": {
            handle: components["schemas"]["handle"];
            /** @enum {string} */
            schema: "access";
            record?: components["schemas"]["record-name"];
            values: components["schemas"]["access-value"][];
            extend?: components["schemas"]["handle"] | components["schemas"]["handle"][];
            filter?: {
                [key: string]: unknown;
            };
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "schedule-policy-data": {
            handle: components["schemas"]["handle"];
            /** @enum {string} */
            action: "create";
            /** @enum {string} */
            schema: "schedule";
            /** @enum {string} */
            record: "report";
            inputs: {
                [key: string]: unknown;
            };
            config?: {
                [key: string]: unknown;
            };
            values?: {
                cron: string;
            }[];
            extend?: components["schemas"]["handle"] | components["schemas"]["handle"][];
            filter?: {
                [key: string]: unknown;
            };
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "processing-policy-data": {
            handle: components["schemas"]["handle"];
            /** @enum {string} */
            schema: "processing";
            /** @enum {string} */
            record?: "anchor";
            values: {
                /** @enum {string} */
                schema: "aspect";
                /** @enum {string} */
                action: "read" | "query" | "create" | "update" | "drop" | "sign";
                invoke: {
                    bridge: components["schemas"]["handle"];
                };
                config?: {
                    /** @enum {string} */
                    strategy?: "proxy" | "fallback" | "validate" | "synchronize";
                };
                filter?: {
                    [key: string]: unknown;
                };
            }[];
            extend?: components["schemas"]["handle"] | components["schemas"]["handle"][];
            filter?: {
                [key: string]: unknown;
            };
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "authentication-policy-data": {
            handle: components["schemas"]["handle"];
            /** @enum {string} */
            schema: "authentication";
            record?: components["schemas"]["record-name"];
            values: {
                /** @enum {string} */
                schema: "oauth2";
                signer: {
                    handle: components["schemas"]["handle"];
                };
                target?: {
                    schema?: components["schemas"]["handle"];
                };
                config?: {
                    "jwt.ttl"?: number;
                };
            }[];
            extend?: components["schemas"]["handle"] | components["schemas"]["handle"][];
            filter?: {
                [key: string]: unknown;
            };
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "dtc-policy-data": {
            handle: components["schemas"]["handle"];
            /** @enum {string} */
            schema: "dtc";
            record?: components["schemas"]["record-name"];
            values: unknown[];
            extend?: components["schemas"]["handle"] | components["schemas"]["handle"][];
            filter?: {
                [key: string]: unknown;
            };
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "other-policy-data": {
            handle: components["schemas"]["handle"];
            schema: string;
            record?: components["schemas"]["record-name"];
            values: unknown[];
            extend?: components["schemas"]["handle"] | components["schemas"]["handle"][];
            filter?: {
                [key: string]: unknown;
            };
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "policy-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["policy-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "policy-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["policy-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "policy-proof": components["schemas"]["sent-proof"];
        "policy-drop": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: string;
            };
            luid: string;
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        policy: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["policy-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "policy-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["policy"][];
            page: components["schemas"]["page"];
        };
        "policy-change": {
            hash: components["schemas"]["hash"];
            data: ({
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["policy-data"]) | {
                handle?: never;
                custom?: never;
                extend?: never;
                access?: never;
                action?: never;
                inputs?: never;
                config?: never;
                values?: never;
                record?: never;
                filter?: never;
                schema?: never;
                parent?: never;
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["erasable-change-meta"];
        };
        "policy-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["policy-change"][];
            page: components["schemas"]["counted-page"];
        };
        "schema-data": {
            handle: components["schemas"]["handle"];
            /** @enum {string} */
            record: "anchor" | "anchor-lookup" | "bridge" | "circle" | "domain" | "effect" | "intent" | "policy" | "report" | "signer" | "signer-factor" | "symbol" | "wallet";
            /** @enum {string} */
            format: "json-schema";
            schema: {
                [key: string]: unknown;
            };
            extend?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "schema-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["schema-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "schema-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["schema-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "schema-proof": components["schemas"]["sent-proof"];
        schema: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["schema-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "schema-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["schema"][];
            page: components["schemas"]["page"];
        };
        "schema-change": {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["schema-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["change-meta"];
        };
        "schema-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["schema-change"][];
            page: components["schemas"]["counted-page"];
        };
        "effect-data": {
            handle: components["schemas"]["handle"];
            signal: components["schemas"]["signal"];
            filter?: {
                [key: string]: unknown;
            };
            action: {
                /** @enum {string} */
                schema?: "webhook";
                endpoint: string;
            } | {
                /** @enum {string} */
                schema?: "bridge";
                bridge: components["schemas"]["handle"];
            };
            schema?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "effect-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["effect-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "effect-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["effect-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "effect-proof": components["schemas"]["sent-proof"];
        "effect-drop": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: string;
            };
            luid: string;
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        effect: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["effect-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "effect-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["effect"][];
            page: components["schemas"]["page"];
        };
        "effect-change": {
            hash: components["schemas"]["hash"];
            data: ({
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["effect-data"]) | {
                handle?: never;
                schema?: never;
                signal?: never;
                filter?: never;
                action?: never;
                custom?: never;
                access?: never;
                parent?: never;
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["erasable-change-meta"];
        };
        "effect-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["effect-change"][];
            page: components["schemas"]["counted-page"];
        };
        "circle-data": {
            handle: components["schemas"]["handle"];
            schema?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "circle-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["circle-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "circle-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["circle-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "circle-proof": components["schemas"]["sent-proof"];
        circle: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["circle-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "circle-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["circle"][];
            page: components["schemas"]["page"];
        };
        "circle-change": {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["circle-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["change-meta"];
        };
        "circle-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["circle-change"][];
            page: components["schemas"]["counted-page"];
        };
        "circle-signer-data": {
            circle: components["schemas"]["handle"];
            signer: components["schemas"]["handle"];
            schema?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "circle-signer-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["circle-signer-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "circle-signer-drop": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: string;
            };
            luid: string;
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "circle-signer": {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["circle-signer-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "circle-signer-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["circle-signer"][];
            page: components["schemas"]["page"];
        };
        "circle-signer-change": {
            hash: components["schemas"]["hash"];
            data: ({
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["circle-signer-data"]) | {
                circle?: never;
                signer?: never;
                schema?: never;
                custom?: never;
                access?: never;
                parent?: never;
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["erasable-change-meta"];
        };
        "circle-signer-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["circle-signer-change"][];
            page: components["schemas"]["counted-page"];
        };
        "anchor-data": {
            handle: components["schemas"]["handle"];
            target: components["schemas"]["anchor-target"];
            wallet?: components["schemas"]["handle"];
            symbol?: components["schemas"]["handle"];
            source?: components["schemas"]["anchor-target"];
            amount?: number;
            schema?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "anchor-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["anchor-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "anchor-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["anchor-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "anchor-proof": components["schemas"]["sent-proof"];
        "anchor-drop": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: string;
            };
            luid: string;
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        anchor: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["anchor-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "anchor-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["anchor"][];
            page: components["schemas"]["page"];
        };
        "anchor-change": {
            hash: components["schemas"]["hash"];
            data: ({
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["anchor-data"]) | {
                handle?: never;
                wallet?: never;
                symbol?: never;
                target?: never;
                source?: never;
                amount?: never;
                schema?: never;
                custom?: never;
                access?: never;
                parent?: never;
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["erasable-change-meta"];
        };
        "anchor-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["anchor-change"][];
            page: components["schemas"]["counted-page"];
        };
        "wallet-data": {
            handle: components["schemas"]["handle"];
            bridge?: components["schemas"]["handle"];
            routes?: components["schemas"]["wallet-route"][];
            schema?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "wallet-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["wallet-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "wallet-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["wallet-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "wallet-proof": components["schemas"]["sent-proof"];
        "wallet-drop": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: string;
            };
            luid: string;
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        wallet: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["wallet-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "wallet-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["wallet"][];
            page: components["schemas"]["page"];
        };
        "wallet-change": {
            hash: components["schemas"]["hash"];
            data: ({
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["wallet-data"]) | {
                handle?: never;
                schema?: never;
                bridge?: never;
                routes?: never;
                custom?: never;
                access?: never;
                parent?: never;
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["erasable-change-meta"];
        };
        "wallet-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["wallet-change"][];
            page: components["schemas"]["counted-page"];
        };
        "intent-data": {
            handle: components["schemas"]["handle"];
            claims: components["schemas"]["claim"][];
            config?: {
                /** @enum {string} */
                commit?: "auto" | "manual";
            };
            schema?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "intent-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["intent-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "intent-proof": components["schemas"]["sent-proof"];
        intent: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
                /** @description The intent that this one of the ledger forwards. */
                origin?: string;
            } & components["schemas"]["intent-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"] & {
                /** @description What follows from an intent has the same. */
                thread: string;
                /** @description Of the wallets that claims name. */
                domains: string[];
                /** @description `true` from when it is prepared. */
                routed?: boolean;
            };
        };
        "intent-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["intent"][];
            page: components["schemas"]["page"];
        };
        "intent-change": {
            hash: components["schemas"]["hash"];
            data: ({
                parent?: components["schemas"]["hash"];
                /** @description The intent that this one of the ledger forwards. */
                origin?: string;
            } & components["schemas"]["intent-data"]) | {
                handle?: never;
                schema?: never;
                claims?: never;
                config?: never;
                custom?: never;
                access?: never;
                origin?: never;
                parent?: never;
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["erasable-change-meta"] & {
                /** @description What follows from an intent has the same. */
                thread: string;
                /** @description Of the wallets that claims name. */
                domains: string[];
                /** @description `true` from when it is prepared. */
                routed?: boolean;
            };
        };
        "intent-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["intent-change"][];
            page: components["schemas"]["counted-page"];
        };
        "symbol-data": {
            handle: components["schemas"]["handle"];
            /** @enum {integer} */
            factor: 1 | 10 | 100 | 1000 | 10000 | 100000 | 1000000 | 10000000 | 100000000 | 1000000000 | 10000000000 | 100000000000 | 1000000000000 | 10000000000000 | 100000000000000 | 1000000000000000;
            schema?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "symbol-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["symbol-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "symbol-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["symbol-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "symbol-proof": components["schemas"]["sent-proof"];
        "symbol-drop": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: string;
            };
            luid: string;
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        symbol: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["symbol-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "symbol-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["symbol"][];
            page: components["schemas"]["page"];
        };
        "symbol-change": {
            hash: components["schemas"]["hash"];
            data: ({
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["symbol-data"]) | {
                handle?: never;
                schema?: never;
                factor?: never;
                custom?: never;
                access?: never;
                parent?: never;
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["erasable-change-meta"];
        };
        "symbol-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["symbol-change"][];
            page: components["schemas"]["counted-page"];
        };
        "bridge-data": {
            handle: components["schemas"]["handle"];
            config: {
                server: string;
                /** @enum {string} */
                "debits.claims.groupBy"?: "address" | "wallet";
                /** @enum {string} */
                "credits.claims.groupBy"?: "address" | "wallet";
                /** @description Whether it is sent the tokens of clients, and can act as they may. */
                "token.forward"?: boolean;
            };
            secure: components["schemas"]["security-rule"][];
            traits?: components["schemas"]["bridge-trait"][];
            schema?: components["schemas"]["handle"];
            custom?: {
                [key: string]: unknown;
            };
            access?: components["schemas"]["access-entry"][];
        };
        "bridge-create": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: components["schemas"]["bridge-data"];
            /** @description Ignored. */
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "bridge-update": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: components["schemas"]["hash"];
            } & components["schemas"]["bridge-data"];
            luid?: components["schemas"]["luid"];
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        "bridge-proof": components["schemas"]["sent-proof"];
        "bridge-drop": {
            /** @description SHA-256 of the canonical JSON of `data`, in hex. May be left out where a bearer token stands for a signature: the ledger adds it. */
            hash: string;
            data: {
                parent: string;
            };
            luid: string;
            meta?: {
                /** @description Over `hash`, by everyone who signs this. */
                proofs?: components["schemas"]["sent-proof"][];
                /** @description Values of the secrets that the data refers to, by name. They are stored sealed, and shown only to callers whose rules allow `reveal`. */
                secret?: {
                    [key: string]: string;
                };
            } & {
                [key: string]: unknown;
            };
        };
        bridge: {
            hash: components["schemas"]["hash"];
            data: {
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["bridge-data"];
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["meta"];
        };
        "bridge-list": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["bridge"][];
            page: components["schemas"]["page"];
        };
        "bridge-change": {
            hash: components["schemas"]["hash"];
            data: ({
                parent?: components["schemas"]["hash"];
            } & components["schemas"]["bridge-data"]) | {
                handle?: never;
                config?: never;
                secure?: never;
                traits?: never;
                schema?: never;
                custom?: never;
                access?: never;
                parent?: never;
                /** @description Of the record. */
                luid: string;
                /** @description Number of the last change that was erased; all before it were too. */
                change: number;
                reason: string;
            };
            luid: components["schemas"]["luid"];
            meta: components["schemas"]["erasable-change-meta"];
        };
        "bridge-changes": {
            hash: components["schemas"]["hash"];
            meta: components["schemas"]["answer-meta"];
            data: components["schemas"]["bridge-change"][];
            page: components["schemas"]["counted-page"];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
