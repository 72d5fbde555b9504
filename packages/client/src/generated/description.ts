// Made by packages/client/scripts/generate.mjs from the OpenAPI description. Change that, and run it again.

/** An operation on records of a kind, by the name of the client's method. */
export interface OperationDescription {
  readonly name: string;
  readonly summary: string;
  readonly method: string;
  readonly path: string;
  /** Members that a list may be filtered by; `*` stands for any path. */
  readonly filters?: readonly string[];
  /** The schema of the answer. */
  readonly answer?: string;
}

/** A member of the data of a record. */
export interface MemberDescription {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string | readonly string[];
  readonly values?: readonly (string | number | boolean | null)[];
  readonly description?: string;
}

/** A kind of record. */
export interface KindDescription {
  /** As rules name it. */
  readonly record: string;
  readonly title: string;
  /** The letters of its luids. */
  readonly prefix: string;
  readonly path: string;
  readonly item: string;
  /** The member of data, and parameter of the path, that names the record above. */
  readonly parent?: string;
  readonly operations: readonly OperationDescription[];
  readonly members: readonly MemberDescription[];
}

export const DESCRIPTION: readonly KindDescription[] = [
  {
    "record": "ledger",
    "title": "Ledger",
    "prefix": "ldg",
    "path": "/ledgers",
    "item": "/ledger",
    "operations": [
      {
        "name": "create",
        "summary": "Create a ledger, whose owners are those who sign the request",
        "method": "POST",
        "path": "/ledgers",
        "answer": "ledger"
      },
      {
        "name": "list",
        "summary": "List the ledgers that the token's key owns",
        "method": "GET",
        "path": "/ledgers",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.custom.*"
        ],
        "answer": "ledger-list"
      },
      {
        "name": "get",
        "summary": "Read a ledger",
        "method": "GET",
        "path": "/ledger",
        "answer": "ledger"
      },
      {
        "name": "update",
        "summary": "Replace the data of a ledger",
        "method": "PUT",
        "path": "/ledger",
        "answer": "ledger"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a ledger, which may change its status and labels",
        "method": "POST",
        "path": "/ledger/proofs",
        "answer": "ledger"
      },
      {
        "name": "history",
        "summary": "List every version of a ledger, newest first",
        "method": "GET",
        "path": "/ledger/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "ledger-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a ledger",
        "method": "GET",
        "path": "/ledger/changes/{change}",
        "answer": "ledger-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a ledger is in the log of the ledger",
        "method": "GET",
        "path": "/ledger/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "log",
        "summary": "Read how far the log of a ledger is",
        "method": "GET",
        "path": "/ledger/log",
        "answer": "log"
      },
      {
        "name": "consistency",
        "summary": "Prove that the log of the ledger begins with an older one",
        "method": "GET",
        "path": "/ledger/log/consistency",
        "answer": "consistency"
      },
      {
        "name": "check",
        "summary": "List the rules of a ledger that grant the signers an action",
        "method": "POST",
        "path": "/ledger/access/!check",
        "answer": "granted-rules"
      },
      {
        "name": "requests",
        "summary": "List the journal of requests of a ledger, newest first",
        "method": "GET",
        "path": "/system/requests",
        "filters": [
          "data.source",
          "data.target",
          "data.record",
          "data.action",
          "meta.status",
          "meta.labels",
          "meta.moment"
        ],
        "answer": "request-entry-list"
      },
      {
        "name": "request",
        "summary": "Read one entry of the journal of requests of a ledger",
        "method": "GET",
        "path": "/system/requests/{request}",
        "answer": "request-entry"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "signer",
        "type": "string",
        "values": [
          "system"
        ],
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      },
      {
        "name": "config",
        "type": [
          "object",
          "null"
        ],
        "isRequired": false
      }
    ]
  },
  {
    "record": "signer",
    "title": "Signer",
    "prefix": "snr",
    "path": "/signers",
    "item": "/signers/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create a signer",
        "method": "POST",
        "path": "/signers",
        "answer": "signer"
      },
      {
        "name": "list",
        "summary": "List signers, newest change first",
        "method": "GET",
        "path": "/signers",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.public",
          "data.format",
          "data.custom.*"
        ],
        "answer": "signer-list"
      },
      {
        "name": "get",
        "summary": "Read a signer",
        "method": "GET",
        "path": "/signers/{id}",
        "answer": "signer"
      },
      {
        "name": "update",
        "summary": "Replace the data of a signer",
        "method": "PUT",
        "path": "/signers/{id}",
        "answer": "signer"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a signer, which may change its status and labels",
        "method": "POST",
        "path": "/signers/{id}/proofs",
        "answer": "signer"
      },
      {
        "name": "history",
        "summary": "List every version of a signer, newest first",
        "method": "GET",
        "path": "/signers/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "signer-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a signer",
        "method": "GET",
        "path": "/signers/{id}/changes/{change}",
        "answer": "signer-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a signer is in the log of the ledger",
        "method": "GET",
        "path": "/signers/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of a signer that grant the signers an action",
        "method": "POST",
        "path": "/signers/{id}/access/!check",
        "answer": "granted-rules"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "public",
        "type": "string",
        "isRequired": true
      },
      {
        "name": "format",
        "type": "string",
        "values": [
          "ed25519-raw"
        ],
        "isRequired": true
      },
      {
        "name": "secret",
        "type": "string",
        "isRequired": false
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "signer-factor",
    "title": "Signer Factor",
    "prefix": "snf",
    "path": "/signers/{signer}/factors",
    "item": "/signers/{signer}/factors/{id}",
    "parent": "signer",
    "operations": [
      {
        "name": "create",
        "summary": "Create a signer factor",
        "method": "POST",
        "path": "/signers/{signer}/factors",
        "answer": "signer-factor"
      },
      {
        "name": "list",
        "summary": "List signer factors, newest change first",
        "method": "GET",
        "path": "/signers/{signer}/factors",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.public",
          "data.custom.*"
        ],
        "answer": "signer-factor-list"
      },
      {
        "name": "get",
        "summary": "Read a signer factor",
        "method": "GET",
        "path": "/signers/{signer}/factors/{id}",
        "answer": "signer-factor"
      },
      {
        "name": "update",
        "summary": "Replace the data of a signer factor",
        "method": "PUT",
        "path": "/signers/{signer}/factors/{id}",
        "answer": "signer-factor"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a signer factor, which may change its status and labels",
        "method": "POST",
        "path": "/signers/{signer}/factors/{id}/proofs",
        "answer": "signer-factor"
      },
      {
        "name": "drop",
        "summary": "Drop a signer factor; its history stays readable by luid",
        "method": "DELETE",
        "path": "/signers/{signer}/factors/{id}"
      },
      {
        "name": "erase",
        "summary": "Forget the texts of a signer factor, for good",
        "method": "POST",
        "path": "/signers/{signer}/factors/{id}/erase",
        "answer": "erasure-record"
      },
      {
        "name": "history",
        "summary": "List every version of a signer factor, newest first",
        "method": "GET",
        "path": "/signers/{signer}/factors/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "signer-factor-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a signer factor",
        "method": "GET",
        "path": "/signers/{signer}/factors/{id}/changes/{change}",
        "answer": "signer-factor-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a signer factor is in the log of the ledger",
        "method": "GET",
        "path": "/signers/{signer}/factors/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of a signer factor that grant the signers an action",
        "method": "POST",
        "path": "/signers/{signer}/factors/{id}/access/!check",
        "answer": "granted-rules"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "signer",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "secret",
        "type": "string",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      },
      {
        "name": "public",
        "type": "string",
        "isRequired": false
      },
      {
        "name": "format",
        "type": "string",
        "isRequired": false
      },
      {
        "name": "clientId",
        "type": "string",
        "isRequired": false
      },
      {
        "name": "clientSecret",
        "type": "string",
        "isRequired": false
      }
    ]
  },
  {
    "record": "domain",
    "title": "Domain",
    "prefix": "dom",
    "path": "/domains",
    "item": "/domains/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create a domain",
        "method": "POST",
        "path": "/domains",
        "answer": "domain"
      },
      {
        "name": "list",
        "summary": "List domains, newest change first",
        "method": "GET",
        "path": "/domains",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.moment",
          "data.custom.*"
        ],
        "answer": "domain-list"
      },
      {
        "name": "get",
        "summary": "Read a domain",
        "method": "GET",
        "path": "/domains/{id}",
        "answer": "domain"
      },
      {
        "name": "update",
        "summary": "Replace the data of a domain",
        "method": "PUT",
        "path": "/domains/{id}",
        "answer": "domain"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a domain, which may change its status and labels",
        "method": "POST",
        "path": "/domains/{id}/proofs",
        "answer": "domain"
      },
      {
        "name": "history",
        "summary": "List every version of a domain, newest first",
        "method": "GET",
        "path": "/domains/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "domain-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a domain",
        "method": "GET",
        "path": "/domains/{id}/changes/{change}",
        "answer": "domain-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a domain is in the log of the ledger",
        "method": "GET",
        "path": "/domains/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of a domain that grant the signers an action",
        "method": "POST",
        "path": "/domains/{id}/access/!check",
        "answer": "granted-rules"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "report",
    "title": "Report",
    "prefix": "rep",
    "path": "/reports",
    "item": "/reports/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create a report",
        "method": "POST",
        "path": "/reports",
        "answer": "report"
      },
      {
        "name": "list",
        "summary": "List reports, newest change first",
        "method": "GET",
        "path": "/reports",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.custom.*"
        ],
        "answer": "report-list"
      },
      {
        "name": "get",
        "summary": "Read a report",
        "method": "GET",
        "path": "/reports/{id}",
        "answer": "report"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a report, which may change its status and labels",
        "method": "POST",
        "path": "/reports/{id}/proofs",
        "answer": "report"
      },
      {
        "name": "drop",
        "summary": "Drop a report; its history stays readable by luid",
        "method": "DELETE",
        "path": "/reports/{id}"
      },
      {
        "name": "erase",
        "summary": "Forget the texts of a report, for good",
        "method": "POST",
        "path": "/reports/{id}/erase",
        "answer": "erasure-record"
      },
      {
        "name": "history",
        "summary": "List every version of a report, newest first",
        "method": "GET",
        "path": "/reports/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "report-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a report",
        "method": "GET",
        "path": "/reports/{id}/changes/{change}",
        "answer": "report-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a report is in the log of the ledger",
        "method": "GET",
        "path": "/reports/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of a report that grant the signers an action",
        "method": "POST",
        "path": "/reports/{id}/access/!check",
        "answer": "granted-rules"
      },
      {
        "name": "asset",
        "summary": "Download a generated file of a report",
        "method": "GET",
        "path": "/reports/{id}/assets/{asset}"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "policy",
    "title": "Policy",
    "prefix": "plc",
    "path": "/policies",
    "item": "/policies/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create a policy",
        "method": "POST",
        "path": "/policies",
        "answer": "policy"
      },
      {
        "name": "list",
        "summary": "List policies, newest change first",
        "method": "GET",
        "path": "/policies",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.record",
          "data.custom.*"
        ],
        "answer": "policy-list"
      },
      {
        "name": "get",
        "summary": "Read a policy",
        "method": "GET",
        "path": "/policies/{id}",
        "answer": "policy"
      },
      {
        "name": "update",
        "summary": "Replace the data of a policy",
        "method": "PUT",
        "path": "/policies/{id}",
        "answer": "policy"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a policy, which may change its status and labels",
        "method": "POST",
        "path": "/policies/{id}/proofs",
        "answer": "policy"
      },
      {
        "name": "drop",
        "summary": "Drop a policy; its history stays readable by luid",
        "method": "DELETE",
        "path": "/policies/{id}"
      },
      {
        "name": "erase",
        "summary": "Forget the texts of a policy, for good",
        "method": "POST",
        "path": "/policies/{id}/erase",
        "answer": "erasure-record"
      },
      {
        "name": "history",
        "summary": "List every version of a policy, newest first",
        "method": "GET",
        "path": "/policies/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "policy-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a policy",
        "method": "GET",
        "path": "/policies/{id}/changes/{change}",
        "answer": "policy-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a policy is in the log of the ledger",
        "method": "GET",
        "path": "/policies/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of a policy that grant the signers an action",
        "method": "POST",
        "path": "/policies/{id}/access/!check",
        "answer": "granted-rules"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "schema",
        "type": "string",
        "isRequired": true
      },
      {
        "name": "record",
        "type": "string",
        "isRequired": false,
        "values": [
          "anchor",
          "anchor-proof",
          "any",
          "bridge",
          "bridge-proof",
          "circle",
          "circle-proof",
          "circle-signer",
          "domain",
          "domain-proof",
          "effect",
          "effect-proof",
          "intent",
          "intent-proof",
          "ledger",
          "ledger-proof",
          "policy",
          "policy-proof",
          "report",
          "report-proof",
          "request",
          "schema",
          "schema-proof",
          "server",
          "signer",
          "signer-proof",
          "signer-factor",
          "signer-factor-proof",
          "signer-factor-secret",
          "symbol",
          "symbol-proof",
          "wallet",
          "wallet-proof"
        ]
      },
      {
        "name": "values",
        "type": "array",
        "isRequired": false
      },
      {
        "name": "extend",
        "type": [
          "string",
          "array"
        ],
        "isRequired": false
      },
      {
        "name": "filter",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      },
      {
        "name": "action",
        "type": "string",
        "values": [
          "create"
        ],
        "isRequired": false
      },
      {
        "name": "inputs",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "config",
        "type": "object",
        "isRequired": false
      }
    ]
  },
  {
    "record": "schema",
    "title": "Schema",
    "prefix": "sch",
    "path": "/schemas",
    "item": "/schemas/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create a schema",
        "method": "POST",
        "path": "/schemas",
        "answer": "schema"
      },
      {
        "name": "list",
        "summary": "List schemas, newest change first",
        "method": "GET",
        "path": "/schemas",
        "filters": [
          "data.handle",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.record",
          "data.custom.*"
        ],
        "answer": "schema-list"
      },
      {
        "name": "get",
        "summary": "Read a schema",
        "method": "GET",
        "path": "/schemas/{id}",
        "answer": "schema"
      },
      {
        "name": "update",
        "summary": "Replace the data of a schema",
        "method": "PUT",
        "path": "/schemas/{id}",
        "answer": "schema"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a schema, which may change its status and labels",
        "method": "POST",
        "path": "/schemas/{id}/proofs",
        "answer": "schema"
      },
      {
        "name": "history",
        "summary": "List every version of a schema, newest first",
        "method": "GET",
        "path": "/schemas/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "schema-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a schema",
        "method": "GET",
        "path": "/schemas/{id}/changes/{change}",
        "answer": "schema-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a schema is in the log of the ledger",
        "method": "GET",
        "path": "/schemas/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of a schema that grant the signers an action",
        "method": "POST",
        "path": "/schemas/{id}/access/!check",
        "answer": "granted-rules"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "record",
        "type": "string",
        "values": [
          "anchor",
          "anchor-lookup",
          "bridge",
          "circle",
          "domain",
          "effect",
          "intent",
          "policy",
          "report",
          "signer",
          "signer-factor",
          "symbol",
          "wallet"
        ],
        "isRequired": true
      },
      {
        "name": "format",
        "type": "string",
        "values": [
          "json-schema"
        ],
        "isRequired": true
      },
      {
        "name": "schema",
        "type": "object",
        "isRequired": true
      },
      {
        "name": "extend",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "effect",
    "title": "Effect",
    "prefix": "eff",
    "path": "/effects",
    "item": "/effects/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create an effect",
        "method": "POST",
        "path": "/effects",
        "answer": "effect"
      },
      {
        "name": "list",
        "summary": "List effects, newest change first",
        "method": "GET",
        "path": "/effects",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.custom.*"
        ],
        "answer": "effect-list"
      },
      {
        "name": "get",
        "summary": "Read an effect",
        "method": "GET",
        "path": "/effects/{id}",
        "answer": "effect"
      },
      {
        "name": "update",
        "summary": "Replace the data of an effect",
        "method": "PUT",
        "path": "/effects/{id}",
        "answer": "effect"
      },
      {
        "name": "sign",
        "summary": "Add a proof to an effect, which may change its status and labels",
        "method": "POST",
        "path": "/effects/{id}/proofs",
        "answer": "effect"
      },
      {
        "name": "drop",
        "summary": "Drop an effect; its history stays readable by luid",
        "method": "DELETE",
        "path": "/effects/{id}"
      },
      {
        "name": "erase",
        "summary": "Forget the texts of an effect, for good",
        "method": "POST",
        "path": "/effects/{id}/erase",
        "answer": "erasure-record"
      },
      {
        "name": "history",
        "summary": "List every version of an effect, newest first",
        "method": "GET",
        "path": "/effects/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "effect-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of an effect",
        "method": "GET",
        "path": "/effects/{id}/changes/{change}",
        "answer": "effect-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of an effect is in the log of the ledger",
        "method": "GET",
        "path": "/effects/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of an effect that grant the signers an action",
        "method": "POST",
        "path": "/effects/{id}/access/!check",
        "answer": "granted-rules"
      },
      {
        "name": "events",
        "summary": "List the deliveries of events of an effect, newest first",
        "method": "GET",
        "path": "/effects/{id}/events",
        "filters": [
          "meta.status",
          "data.linked",
          "data.record"
        ],
        "answer": "delivery-list"
      },
      {
        "name": "event",
        "summary": "Read one delivery of an event of an effect",
        "method": "GET",
        "path": "/effects/{id}/events/{event}",
        "answer": "delivery"
      },
      {
        "name": "retry",
        "summary": "Send deliveries of an effect again that failed or wait",
        "method": "POST",
        "path": "/effects/{id}/events/retry"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "signal",
        "type": "string",
        "values": [
          "anchor-created",
          "anchor-dropped",
          "anchor-proofs-added",
          "anchor-updated",
          "balance-received",
          "bridge-created",
          "bridge-entry-created",
          "bridge-entry-proofs-added",
          "bridge-entry-updated",
          "bridge-proofs-added",
          "bridge-updated",
          "circle-created",
          "circle-proofs-added",
          "circle-updated",
          "domain-created",
          "domain-proofs-added",
          "domain-updated",
          "effect-created",
          "effect-proofs-added",
          "effect-updated",
          "effect-dropped",
          "intent-created",
          "intent-proofs-added",
          "intent-updated",
          "ledger-created",
          "ledger-proofs-added",
          "ledger-updated",
          "policy-created",
          "policy-proofs-added",
          "policy-updated",
          "report-created",
          "report-dropped",
          "report-proofs-added",
          "report-updated",
          "request-created",
          "request-proofs-added",
          "request-updated",
          "schema-created",
          "schema-proofs-added",
          "schema-updated",
          "signer-created",
          "signer-proofs-added",
          "signer-updated",
          "signer-factor-created",
          "signer-factor-updated",
          "signer-factor-proofs-added",
          "signer-factor-dropped",
          "symbol-created",
          "symbol-proofs-added",
          "symbol-updated",
          "wallet-created",
          "wallet-limited",
          "wallet-proofs-added",
          "wallet-updated",
          "wallet-dropped",
          "bridge-dropped"
        ],
        "isRequired": true
      },
      {
        "name": "filter",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "action",
        "type": "object",
        "isRequired": true
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "circle",
    "title": "Circle",
    "prefix": "crc",
    "path": "/circles",
    "item": "/circles/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create a circle",
        "method": "POST",
        "path": "/circles",
        "answer": "circle"
      },
      {
        "name": "list",
        "summary": "List circles, newest change first",
        "method": "GET",
        "path": "/circles",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.custom.*"
        ],
        "answer": "circle-list"
      },
      {
        "name": "get",
        "summary": "Read a circle",
        "method": "GET",
        "path": "/circles/{id}",
        "answer": "circle"
      },
      {
        "name": "update",
        "summary": "Replace the data of a circle",
        "method": "PUT",
        "path": "/circles/{id}",
        "answer": "circle"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a circle, which may change its status and labels",
        "method": "POST",
        "path": "/circles/{id}/proofs",
        "answer": "circle"
      },
      {
        "name": "history",
        "summary": "List every version of a circle, newest first",
        "method": "GET",
        "path": "/circles/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "circle-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a circle",
        "method": "GET",
        "path": "/circles/{id}/changes/{change}",
        "answer": "circle-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a circle is in the log of the ledger",
        "method": "GET",
        "path": "/circles/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of a circle that grant the signers an action",
        "method": "POST",
        "path": "/circles/{id}/access/!check",
        "answer": "granted-rules"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "circle-signer",
    "title": "Circle Signer",
    "prefix": "csn",
    "path": "/circles/{circle}/signers",
    "item": "/circles/{circle}/signers/{id}",
    "parent": "circle",
    "operations": [
      {
        "name": "create",
        "summary": "Create a circle signer",
        "method": "POST",
        "path": "/circles/{circle}/signers",
        "answer": "circle-signer"
      },
      {
        "name": "list",
        "summary": "List circle signers, newest change first",
        "method": "GET",
        "path": "/circles/{circle}/signers",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.circle",
          "data.signer",
          "data.custom.*"
        ],
        "answer": "circle-signer-list"
      },
      {
        "name": "get",
        "summary": "Read a circle signer",
        "method": "GET",
        "path": "/circles/{circle}/signers/{id}",
        "answer": "circle-signer"
      },
      {
        "name": "drop",
        "summary": "Drop a circle signer; its history stays readable by luid",
        "method": "DELETE",
        "path": "/circles/{circle}/signers/{id}"
      },
      {
        "name": "erase",
        "summary": "Forget the texts of a circle signer, for good",
        "method": "POST",
        "path": "/circles/{circle}/signers/{id}/erase",
        "answer": "erasure-record"
      },
      {
        "name": "history",
        "summary": "List every version of a circle signer, newest first",
        "method": "GET",
        "path": "/circles/{circle}/signers/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "circle-signer-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a circle signer",
        "method": "GET",
        "path": "/circles/{circle}/signers/{id}/changes/{change}",
        "answer": "circle-signer-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a circle signer is in the log of the ledger",
        "method": "GET",
        "path": "/circles/{circle}/signers/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      }
    ],
    "members": [
      {
        "name": "circle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "signer",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "anchor",
    "title": "Anchor",
    "prefix": "anc",
    "path": "/anchors",
    "item": "/anchors/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create an anchor",
        "method": "POST",
        "path": "/anchors",
        "answer": "anchor"
      },
      {
        "name": "list",
        "summary": "List anchors, newest change first",
        "method": "GET",
        "path": "/anchors",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.wallet",
          "data.target",
          "data.symbol",
          "data.record",
          "data.source",
          "data.custom.*"
        ],
        "answer": "anchor-list"
      },
      {
        "name": "get",
        "summary": "Read an anchor",
        "method": "GET",
        "path": "/anchors/{id}",
        "answer": "anchor"
      },
      {
        "name": "update",
        "summary": "Replace the data of an anchor",
        "method": "PUT",
        "path": "/anchors/{id}",
        "answer": "anchor"
      },
      {
        "name": "sign",
        "summary": "Add a proof to an anchor, which may change its status and labels",
        "method": "POST",
        "path": "/anchors/{id}/proofs",
        "answer": "anchor"
      },
      {
        "name": "drop",
        "summary": "Drop an anchor; its history stays readable by luid",
        "method": "DELETE",
        "path": "/anchors/{id}"
      },
      {
        "name": "erase",
        "summary": "Forget the texts of an anchor, for good",
        "method": "POST",
        "path": "/anchors/{id}/erase",
        "answer": "erasure-record"
      },
      {
        "name": "history",
        "summary": "List every version of an anchor, newest first",
        "method": "GET",
        "path": "/anchors/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "anchor-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of an anchor",
        "method": "GET",
        "path": "/anchors/{id}/changes/{change}",
        "answer": "anchor-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of an anchor is in the log of the ledger",
        "method": "GET",
        "path": "/anchors/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of an anchor that grant the signers an action",
        "method": "POST",
        "path": "/anchors/{id}/access/!check",
        "answer": "granted-rules"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "target",
        "type": [
          "string",
          "object"
        ],
        "isRequired": true
      },
      {
        "name": "wallet",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "symbol",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "source",
        "type": [
          "string",
          "object"
        ],
        "isRequired": false
      },
      {
        "name": "amount",
        "type": "integer",
        "isRequired": false
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "wallet",
    "title": "Wallet",
    "prefix": "wlt",
    "path": "/wallets",
    "item": "/wallets/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create a wallet",
        "method": "POST",
        "path": "/wallets",
        "answer": "wallet"
      },
      {
        "name": "list",
        "summary": "List wallets, newest change first",
        "method": "GET",
        "path": "/wallets",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.bridge",
          "data.custom.*"
        ],
        "answer": "wallet-list"
      },
      {
        "name": "get",
        "summary": "Read a wallet",
        "method": "GET",
        "path": "/wallets/{id}",
        "answer": "wallet"
      },
      {
        "name": "update",
        "summary": "Replace the data of a wallet",
        "method": "PUT",
        "path": "/wallets/{id}",
        "answer": "wallet"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a wallet, which may change its status and labels",
        "method": "POST",
        "path": "/wallets/{id}/proofs",
        "answer": "wallet"
      },
      {
        "name": "drop",
        "summary": "Drop a wallet; its history stays readable by luid",
        "method": "DELETE",
        "path": "/wallets/{id}"
      },
      {
        "name": "erase",
        "summary": "Forget the texts of a wallet, for good",
        "method": "POST",
        "path": "/wallets/{id}/erase",
        "answer": "erasure-record"
      },
      {
        "name": "history",
        "summary": "List every version of a wallet, newest first",
        "method": "GET",
        "path": "/wallets/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "wallet-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a wallet",
        "method": "GET",
        "path": "/wallets/{id}/changes/{change}",
        "answer": "wallet-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a wallet is in the log of the ledger",
        "method": "GET",
        "path": "/wallets/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of a wallet that grant the signers an action",
        "method": "POST",
        "path": "/wallets/{id}/access/!check",
        "answer": "granted-rules"
      },
      {
        "name": "anchors",
        "summary": "Read the anchors of a wallet, from its bridge where that has them",
        "method": "GET",
        "path": "/wallets/{id}/anchors",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.bridge",
          "data.custom.*"
        ],
        "answer": "found-anchors"
      },
      {
        "name": "lookup",
        "summary": "Look up anchors of a wallet, at its bridge where that has them",
        "method": "POST",
        "path": "/wallets/{id}/anchors/!lookup",
        "answer": "found-anchors"
      },
      {
        "name": "domains",
        "summary": "Read the domains that the bridge of a wallet has for it",
        "method": "GET",
        "path": "/wallets/{id}/domains",
        "answer": "found-domains"
      },
      {
        "name": "balances",
        "summary": "List the balances of a wallet, by symbol",
        "method": "GET",
        "path": "/wallets/{id}/balances",
        "filters": [
          "data.symbol",
          "data.schema"
        ],
        "answer": "balance-list"
      },
      {
        "name": "limits",
        "summary": "List the limits of a wallet, by symbol and metric",
        "method": "GET",
        "path": "/wallets/{id}/limits",
        "filters": [
          "data.symbol",
          "data.metric"
        ],
        "answer": "wallet-limit-list"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "bridge",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "routes",
        "type": "array",
        "isRequired": false
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "intent",
    "title": "Intent",
    "prefix": "int",
    "path": "/intents",
    "item": "/intents/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create an intent",
        "method": "POST",
        "path": "/intents",
        "answer": "intent"
      },
      {
        "name": "list",
        "summary": "List intents, newest change first",
        "method": "GET",
        "path": "/intents",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "meta.domains",
          "data.claims.action",
          "data.claims.amount",
          "data.claims.source.handle",
          "data.claims.target.handle",
          "data.claims.symbol.handle",
          "data.custom.*"
        ],
        "answer": "intent-list"
      },
      {
        "name": "get",
        "summary": "Read an intent",
        "method": "GET",
        "path": "/intents/{id}",
        "answer": "intent"
      },
      {
        "name": "sign",
        "summary": "Add a proof to an intent, which may change its status and labels",
        "method": "POST",
        "path": "/intents/{id}/proofs",
        "answer": "intent"
      },
      {
        "name": "erase",
        "summary": "Forget the texts of an intent, for good",
        "method": "POST",
        "path": "/intents/{id}/erase",
        "answer": "erasure-record"
      },
      {
        "name": "history",
        "summary": "List every version of an intent, newest first",
        "method": "GET",
        "path": "/intents/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "intent-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of an intent",
        "method": "GET",
        "path": "/intents/{id}/changes/{change}",
        "answer": "intent-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of an intent is in the log of the ledger",
        "method": "GET",
        "path": "/intents/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of an intent that grant the signers an action",
        "method": "POST",
        "path": "/intents/{id}/access/!check",
        "answer": "granted-rules"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "claims",
        "type": "array",
        "isRequired": true
      },
      {
        "name": "config",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "symbol",
    "title": "Symbol",
    "prefix": "sym",
    "path": "/symbols",
    "item": "/symbols/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create a symbol",
        "method": "POST",
        "path": "/symbols",
        "answer": "symbol"
      },
      {
        "name": "list",
        "summary": "List symbols, newest change first",
        "method": "GET",
        "path": "/symbols",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.custom.*"
        ],
        "answer": "symbol-list"
      },
      {
        "name": "get",
        "summary": "Read a symbol",
        "method": "GET",
        "path": "/symbols/{id}",
        "answer": "symbol"
      },
      {
        "name": "update",
        "summary": "Replace the data of a symbol",
        "method": "PUT",
        "path": "/symbols/{id}",
        "answer": "symbol"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a symbol, which may change its status and labels",
        "method": "POST",
        "path": "/symbols/{id}/proofs",
        "answer": "symbol"
      },
      {
        "name": "drop",
        "summary": "Drop a symbol; its history stays readable by luid",
        "method": "DELETE",
        "path": "/symbols/{id}"
      },
      {
        "name": "erase",
        "summary": "Forget the texts of a symbol, for good",
        "method": "POST",
        "path": "/symbols/{id}/erase",
        "answer": "erasure-record"
      },
      {
        "name": "history",
        "summary": "List every version of a symbol, newest first",
        "method": "GET",
        "path": "/symbols/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "symbol-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a symbol",
        "method": "GET",
        "path": "/symbols/{id}/changes/{change}",
        "answer": "symbol-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a symbol is in the log of the ledger",
        "method": "GET",
        "path": "/symbols/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of a symbol that grant the signers an action",
        "method": "POST",
        "path": "/symbols/{id}/access/!check",
        "answer": "granted-rules"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "factor",
        "type": "integer",
        "values": [
          1,
          10,
          100,
          1000,
          10000,
          100000,
          1000000,
          10000000,
          100000000,
          1000000000,
          10000000000,
          100000000000,
          1000000000000,
          10000000000000,
          100000000000000,
          1000000000000000
        ],
        "isRequired": true
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  },
  {
    "record": "bridge",
    "title": "Bridge",
    "prefix": "brg",
    "path": "/bridges",
    "item": "/bridges/{id}",
    "operations": [
      {
        "name": "create",
        "summary": "Create a bridge",
        "method": "POST",
        "path": "/bridges",
        "answer": "bridge"
      },
      {
        "name": "list",
        "summary": "List bridges, newest change first",
        "method": "GET",
        "path": "/bridges",
        "filters": [
          "data.handle",
          "data.schema",
          "meta.status",
          "meta.labels",
          "meta.domain",
          "meta.moment",
          "data.custom.*"
        ],
        "answer": "bridge-list"
      },
      {
        "name": "get",
        "summary": "Read a bridge",
        "method": "GET",
        "path": "/bridges/{id}",
        "answer": "bridge"
      },
      {
        "name": "update",
        "summary": "Replace the data of a bridge",
        "method": "PUT",
        "path": "/bridges/{id}",
        "answer": "bridge"
      },
      {
        "name": "sign",
        "summary": "Add a proof to a bridge, which may change its status and labels",
        "method": "POST",
        "path": "/bridges/{id}/proofs",
        "answer": "bridge"
      },
      {
        "name": "drop",
        "summary": "Drop a bridge; its history stays readable by luid",
        "method": "DELETE",
        "path": "/bridges/{id}"
      },
      {
        "name": "erase",
        "summary": "Forget the texts of a bridge, for good",
        "method": "POST",
        "path": "/bridges/{id}/erase",
        "answer": "erasure-record"
      },
      {
        "name": "history",
        "summary": "List every version of a bridge, newest first",
        "method": "GET",
        "path": "/bridges/{id}/changes",
        "filters": [
          "meta.action",
          "meta.change",
          "meta.moment"
        ],
        "answer": "bridge-changes"
      },
      {
        "name": "change",
        "summary": "Read one version of a bridge",
        "method": "GET",
        "path": "/bridges/{id}/changes/{change}",
        "answer": "bridge-change"
      },
      {
        "name": "inclusion",
        "summary": "Prove that a version of a bridge is in the log of the ledger",
        "method": "GET",
        "path": "/bridges/{id}/changes/{change}/inclusion",
        "answer": "inclusion"
      },
      {
        "name": "check",
        "summary": "List the rules of a bridge that grant the signers an action",
        "method": "POST",
        "path": "/bridges/{id}/access/!check",
        "answer": "granted-rules"
      },
      {
        "name": "events",
        "summary": "List the deliveries of events of a bridge, newest first",
        "method": "GET",
        "path": "/bridges/{id}/events",
        "filters": [
          "meta.status",
          "data.linked",
          "data.record"
        ],
        "answer": "delivery-list"
      },
      {
        "name": "event",
        "summary": "Read one delivery of an event of a bridge",
        "method": "GET",
        "path": "/bridges/{id}/events/{event}",
        "answer": "delivery"
      },
      {
        "name": "retry",
        "summary": "Send deliveries of a bridge again that failed or wait",
        "method": "POST",
        "path": "/bridges/{id}/events/retry"
      }
    ],
    "members": [
      {
        "name": "handle",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": true
      },
      {
        "name": "config",
        "type": "object",
        "isRequired": true
      },
      {
        "name": "secure",
        "type": "array",
        "isRequired": true
      },
      {
        "name": "traits",
        "type": "array",
        "isRequired": false
      },
      {
        "name": "schema",
        "type": "string",
        "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain.",
        "isRequired": false
      },
      {
        "name": "custom",
        "type": "object",
        "isRequired": false
      },
      {
        "name": "access",
        "type": "array",
        "isRequired": false
      }
    ]
  }
];
