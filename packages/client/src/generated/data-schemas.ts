// Made by packages/client/scripts/generate.mjs from the OpenAPI description. Change that, and run it again.

/** The JSON Schemas of the data of each kind, as `wallet-data`, and of their parts; `$ref` names one as `#/$defs/handle`. */
export const DATA_SCHEMAS: Readonly<Record<string, object>> = {
  "ledger-data": {
    "type": "object",
    "required": [
      "handle"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "signer": {
        "type": "string",
        "enum": [
          "system"
        ]
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      },
      "config": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "access.strategy": {
                "type": "string",
                "enum": [
                  "record-based",
                  "policy-based"
                ]
              },
              "intent.expiryThresholdMinutes": {
                "type": "integer",
                "minimum": 1,
                "maximum": 9007199254740991
              },
              "intent.creditorInitiatedTransfersEnabled": {
                "type": "boolean"
              },
              "anchor.walletRequired": {
                "type": "boolean"
              },
              "authentication.twoFactor.enabled": {
                "type": "boolean"
              },
              "domain.resolutionFromHandleEnabled": {
                "type": "boolean"
              },
              "limits.aggregated.enabled": {
                "type": "boolean"
              },
              "log": {
                "type": "string",
                "enum": [
                  "open",
                  "members",
                  "closed"
                ]
              },
              "policy.scheduleProcessorEnabled": {
                "type": "boolean"
              },
              "proof.ledgerRequired": {
                "type": "boolean"
              },
              "request.journalingEnabled": {
                "type": "boolean"
              },
              "signer.factor.oauth.allowClientCredentials": {
                "type": "boolean"
              },
              "token.audiences": {
                "type": "array",
                "items": {
                  "type": "string",
                  "minLength": 1,
                  "maxLength": 2048
                },
                "minItems": 1,
                "maxItems": 32
              }
            },
            "additionalProperties": true
          },
          {
            "type": "null"
          }
        ]
      }
    }
  },
  "handle": {
    "type": "string",
    "maxLength": 255,
    "pattern": "^(?:[A-Za-z0-9_+.-]+:)?(?:\\.?[A-Za-z0-9_+-][A-Za-z0-9_+.-]*|\\.\\.[A-Za-z0-9_+.-]+)(?:@[A-Za-z0-9_+.-]+)*$",
    "description": "An address, `[schema:]name(@part)*`. With exactly one `@`, the part behind it names the domain."
  },
  "access-entry": {
    "type": "object",
    "properties": {
      "action": {
        "oneOf": [
          {
            "$ref": "#/$defs/access-action"
          },
          {
            "oneOf": [
              {
                "type": "object",
                "required": [
                  "$in"
                ],
                "properties": {
                  "$in": {
                    "type": "array",
                    "items": {
                      "$ref": "#/$defs/access-action"
                    },
                    "maxItems": 1000
                  }
                },
                "unevaluatedProperties": false
              },
              {
                "type": "object",
                "required": [
                  "$nin"
                ],
                "properties": {
                  "$nin": {
                    "type": "array",
                    "items": {
                      "$ref": "#/$defs/access-action"
                    },
                    "maxItems": 1000
                  }
                },
                "unevaluatedProperties": false
              }
            ]
          }
        ]
      },
      "record": {
        "oneOf": [
          {
            "$ref": "#/$defs/record-name"
          },
          {
            "oneOf": [
              {
                "type": "object",
                "required": [
                  "$in"
                ],
                "properties": {
                  "$in": {
                    "type": "array",
                    "items": {
                      "$ref": "#/$defs/record-name"
                    },
                    "maxItems": 1000
                  }
                },
                "unevaluatedProperties": false
              },
              {
                "type": "object",
                "required": [
                  "$nin"
                ],
                "properties": {
                  "$nin": {
                    "type": "array",
                    "items": {
                      "$ref": "#/$defs/record-name"
                    },
                    "maxItems": 1000
                  }
                },
                "unevaluatedProperties": false
              }
            ]
          }
        ]
      },
      "signer": {
        "$ref": "#/$defs/signer-matcher"
      },
      "bearer": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "iss": {
                "$ref": "#/$defs/condition"
              },
              "sub": {
                "$ref": "#/$defs/condition"
              },
              "aud": {
                "$ref": "#/$defs/condition"
              },
              "hsh": {
                "type": "boolean"
              },
              "$signer": {
                "$ref": "#/$defs/signer-matcher"
              }
            },
            "propertyNames": {
              "pattern": "^([^$]|\\$signer$)"
            },
            "additionalProperties": true
          },
          {
            "type": "object",
            "required": [
              "$in"
            ],
            "properties": {
              "$in": {
                "type": "array",
                "items": {
                  "type": "object",
                  "properties": {
                    "iss": {
                      "$ref": "#/$defs/condition"
                    },
                    "sub": {
                      "$ref": "#/$defs/condition"
                    },
                    "aud": {
                      "$ref": "#/$defs/condition"
                    },
                    "hsh": {
                      "type": "boolean"
                    },
                    "$signer": {
                      "$ref": "#/$defs/signer-matcher"
                    }
                  },
                  "propertyNames": {
                    "pattern": "^([^$]|\\$signer$)"
                  },
                  "additionalProperties": true
                },
                "maxItems": 1000
              }
            },
            "unevaluatedProperties": false
          }
        ]
      },
      "policy": {
        "anyOf": [
          {
            "type": "string",
            "maxLength": 255
          },
          {
            "type": "object",
            "required": [
              "$in"
            ],
            "properties": {
              "$in": {
                "type": "array",
                "items": {
                  "type": "string",
                  "maxLength": 255
                },
                "maxItems": 1000
              }
            },
            "unevaluatedProperties": false
          }
        ]
      }
    },
    "unevaluatedProperties": false,
    "anyOf": [
      {
        "type": "object",
        "required": [
          "action"
        ],
        "properties": {
          "action": {}
        }
      },
      {
        "type": "object",
        "required": [
          "policy"
        ],
        "properties": {
          "policy": {}
        }
      }
    ],
    "dependentSchemas": {
      "policy": {
        "type": "object",
        "maxProperties": 1
      }
    }
  },
  "access-action": {
    "type": "string",
    "enum": [
      "abort",
      "access",
      "activate",
      "retry-event",
      "any",
      "assign-signer",
      "commit",
      "create",
      "destroy",
      "drop",
      "issue",
      "limit",
      "lookup",
      "manage",
      "query",
      "read",
      "remove-signer",
      "spend",
      "update",
      "reveal",
      "query-event",
      "erase"
    ]
  },
  "record-name": {
    "type": "string",
    "enum": [
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
  "signer-matcher": {
    "anyOf": [
      {
        "type": "object",
        "properties": {
          "public": {
            "$ref": "#/$defs/condition"
          },
          "handle": {
            "$ref": "#/$defs/condition"
          },
          "format": {
            "$ref": "#/$defs/condition"
          },
          "schema": {
            "$ref": "#/$defs/condition"
          },
          "custom": {
            "type": "object",
            "properties": {},
            "additionalProperties": true
          },
          "$circle": {
            "anyOf": [
              {
                "type": "string",
                "maxLength": 255
              },
              {
                "type": "object",
                "required": [
                  "$in"
                ],
                "properties": {
                  "$in": {
                    "type": "array",
                    "items": {
                      "type": "string",
                      "maxLength": 255
                    },
                    "maxItems": 1000
                  }
                },
                "unevaluatedProperties": false
              }
            ]
          },
          "$record": {
            "type": "string",
            "enum": [
              "owner",
              "creator"
            ]
          },
          "$ledger": {
            "type": "string",
            "enum": [
              "owner",
              "creator"
            ]
          }
        },
        "unevaluatedProperties": false
      },
      {
        "type": "object",
        "required": [
          "$in"
        ],
        "properties": {
          "$in": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "public": {
                  "$ref": "#/$defs/condition"
                },
                "handle": {
                  "$ref": "#/$defs/condition"
                },
                "format": {
                  "$ref": "#/$defs/condition"
                },
                "schema": {
                  "$ref": "#/$defs/condition"
                },
                "custom": {
                  "type": "object",
                  "properties": {},
                  "additionalProperties": true
                },
                "$circle": {
                  "anyOf": [
                    {
                      "type": "string",
                      "maxLength": 255
                    },
                    {
                      "type": "object",
                      "required": [
                        "$in"
                      ],
                      "properties": {
                        "$in": {
                          "type": "array",
                          "items": {
                            "type": "string",
                            "maxLength": 255
                          },
                          "maxItems": 1000
                        }
                      },
                      "unevaluatedProperties": false
                    }
                  ]
                },
                "$record": {
                  "type": "string",
                  "enum": [
                    "owner",
                    "creator"
                  ]
                },
                "$ledger": {
                  "type": "string",
                  "enum": [
                    "owner",
                    "creator"
                  ]
                }
              },
              "unevaluatedProperties": false
            },
            "maxItems": 1000
          }
        },
        "unevaluatedProperties": false
      }
    ]
  },
  "condition": {
    "anyOf": [
      {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "number"
          },
          {
            "type": "boolean"
          }
        ]
      },
      {
        "type": "object",
        "properties": {
          "$eq": {
            "anyOf": [
              {
                "type": "string"
              },
              {
                "type": "number"
              },
              {
                "type": "boolean"
              }
            ]
          },
          "$ne": {
            "anyOf": [
              {
                "type": "string"
              },
              {
                "type": "number"
              },
              {
                "type": "boolean"
              }
            ]
          },
          "$in": {
            "type": "array",
            "items": {
              "anyOf": [
                {
                  "type": "string"
                },
                {
                  "type": "number"
                },
                {
                  "type": "boolean"
                }
              ]
            },
            "maxItems": 1000
          },
          "$nin": {
            "type": "array",
            "items": {
              "anyOf": [
                {
                  "type": "string"
                },
                {
                  "type": "number"
                },
                {
                  "type": "boolean"
                }
              ]
            },
            "maxItems": 1000
          },
          "$regex": {
            "type": "string",
            "maxLength": 1024
          }
        },
        "unevaluatedProperties": false,
        "minProperties": 1
      }
    ]
  },
  "signer-data": {
    "type": "object",
    "required": [
      "handle",
      "public",
      "format"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "public": {
        "type": "string",
        "pattern": "^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$"
      },
      "format": {
        "type": "string",
        "enum": [
          "ed25519-raw"
        ]
      },
      "secret": {
        "type": "string"
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "signer-factor-data": {
    "anyOf": [
      {
        "$ref": "#/$defs/other-signer-factor-data"
      },
      {
        "$ref": "#/$defs/oauth-client-credentials-signer-factor-data"
      },
      {
        "$ref": "#/$defs/key-pair-signer-factor-data"
      }
    ]
  },
  "other-signer-factor-data": {
    "type": "object",
    "required": [
      "handle",
      "signer"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "signer": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "secret": {
        "type": "string",
        "pattern": "^\\{\\{ secret\\.[A-Za-z]+[A-Za-z0-9]* \\}\\}$"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      },
      "public": {
        "type": "string",
        "maxLength": 4096
      },
      "format": {
        "type": "string",
        "maxLength": 255
      }
    },
    "not": {
      "allOf": [
        {
          "properties": {
            "schema": {
              "type": "string",
              "enum": [
                "key-pair",
                "oauth-client-credentials"
              ]
            }
          },
          "required": [
            "schema"
          ]
        },
        {
          "anyOf": [
            {
              "required": [
                "public"
              ]
            },
            {
              "required": [
                "format"
              ]
            }
          ]
        }
      ]
    }
  },
  "oauth-client-credentials-signer-factor-data": {
    "type": "object",
    "required": [
      "handle",
      "signer",
      "schema"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "signer": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "type": "string",
        "enum": [
          "oauth-client-credentials"
        ]
      },
      "clientId": {
        "type": "string",
        "minLength": 1,
        "maxLength": 255
      },
      "clientSecret": {
        "type": "string"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "key-pair-signer-factor-data": {
    "type": "object",
    "required": [
      "handle",
      "signer",
      "schema",
      "format",
      "public"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "signer": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "type": "string",
        "enum": [
          "key-pair"
        ]
      },
      "format": {
        "type": "string",
        "enum": [
          "ed25519-raw",
          "rsa-der"
        ]
      },
      "public": {
        "type": "string",
        "maxLength": 4096,
        "pattern": "^[A-Za-z0-9+/]+={0,2}$"
      },
      "secret": {
        "anyOf": [
          {
            "type": "string",
            "pattern": "^\\{\\{ secret\\.[A-Za-z]+[A-Za-z0-9]* \\}\\}$"
          },
          {
            "type": "null"
          }
        ]
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "domain-data": {
    "type": "object",
    "required": [
      "handle"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "report-data": {
    "type": "object",
    "required": [
      "handle",
      "schema"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "policy-data": {
    "anyOf": [
      {
        "$ref": "#/$defs/layout-policy-data"
      },
      {
        "$ref": "#/$defs/status-policy-data"
      },
      {
        "$ref": "#/$defs/labels-policy-data"
      },
      {
        "$ref": "#/$defs/access-policy-data"
      },
      {
        "$ref": "#/$defs/schedule-policy-data"
      },
      {
        "$ref": "#/$defs/processing-policy-data"
      },
      {
        "$ref": "#/$defs/authentication-policy-data"
      },
      {
        "$ref": "#/$defs/dtc-policy-data"
      },
      {
        "$ref": "#/$defs/other-policy-data"
      }
    ]
  },
  "layout-policy-data": {
    "type": "object",
    "required": [
      "handle",
      "schema",
      "values"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "type": "string",
        "enum": [
          "layout"
        ]
      },
      "record": {
        "$ref": "#/$defs/record-name"
      },
      "values": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "record",
            "values"
          ],
          "properties": {
            "record": {
              "$ref": "#/$defs/record-name"
            },
            "values": {
              "type": "array",
              "items": {
                "type": "object",
                "required": [
                  "data"
                ],
                "properties": {
                  "data": {
                    "type": "object",
                    "properties": {},
                    "additionalProperties": true
                  },
                  "custom": {
                    "type": "object",
                    "properties": {},
                    "additionalProperties": true
                  }
                },
                "unevaluatedProperties": false
              },
              "maxItems": 1000
            },
            "custom": {
              "type": "object",
              "properties": {},
              "additionalProperties": true
            }
          },
          "unevaluatedProperties": false
        },
        "maxItems": 1000
      },
      "extend": {
        "anyOf": [
          {
            "$ref": "#/$defs/handle"
          },
          {
            "type": "array",
            "items": {
              "$ref": "#/$defs/handle"
            },
            "maxItems": 100
          }
        ]
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "status-policy-data": {
    "type": "object",
    "required": [
      "handle",
      "schema",
      "values"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "type": "string",
        "enum": [
          "status"
        ]
      },
      "record": {
        "$ref": "#/$defs/record-name"
      },
      "values": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "quorum"
          ],
          "properties": {
            "quorum": {
              "type": "array",
              "items": {
                "$ref": "#/$defs/signer-matcher"
              },
              "maxItems": 100
            },
            "status": {
              "anyOf": [
                {
                  "type": "string"
                },
                {
                  "type": "object",
                  "required": [
                    "$in"
                  ],
                  "properties": {
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string"
                      },
                      "maxItems": 1000
                    }
                  },
                  "unevaluatedProperties": false
                },
                {
                  "type": "object",
                  "required": [
                    "$nin"
                  ],
                  "properties": {
                    "$nin": {
                      "type": "array",
                      "items": {
                        "type": "string"
                      },
                      "maxItems": 1000
                    }
                  },
                  "unevaluatedProperties": false
                }
              ]
            },
            "filter": {
              "type": "object",
              "properties": {},
              "additionalProperties": true
            }
          },
          "unevaluatedProperties": false
        },
        "maxItems": 1000
      },
      "extend": {
        "anyOf": [
          {
            "$ref": "#/$defs/handle"
          },
          {
            "type": "array",
            "items": {
              "$ref": "#/$defs/handle"
            },
            "maxItems": 100
          }
        ]
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "labels-policy-data": {
    "type": "object",
    "required": [
      "handle",
      "schema",
      "values"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "type": "string",
        "enum": [
          "labels"
        ]
      },
      "record": {
        "$ref": "#/$defs/record-name"
      },
      "values": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "label": {
              "anyOf": [
                {
                  "type": "string"
                },
                {
                  "type": "object",
                  "required": [
                    "$in"
                  ],
                  "properties": {
                    "$in": {
                      "type": "array",
                      "items": {
                        "type": "string"
                      },
                      "maxItems": 1000
                    }
                  },
                  "unevaluatedProperties": false
                },
                {
                  "type": "object",
                  "required": [
                    "$nin"
                  ],
                  "properties": {
                    "$nin": {
                      "type": "array",
                      "items": {
                        "type": "string"
                      },
                      "maxItems": 1000
                    }
                  },
                  "unevaluatedProperties": false
                },
                {
                  "type": "object",
                  "required": [
                    "$regex"
                  ],
                  "properties": {
                    "$regex": {
                      "type": "string",
                      "maxLength": 255
                    }
                  },
                  "unevaluatedProperties": false
                }
              ]
            },
            "unique": {
              "type": "boolean"
            },
            "filter": {
              "type": "object",
              "properties": {},
              "additionalProperties": true
            }
          },
          "unevaluatedProperties": false
        },
        "maxItems": 1000
      },
      "extend": {
        "anyOf": [
          {
            "$ref": "#/$defs/handle"
          },
          {
            "type": "array",
            "items": {
              "$ref": "#/$defs/handle"
            },
            "maxItems": 100
          }
        ]
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "access-policy-data": {
    "type": "object",
    "required": [
      "handle",
      "schema",
      "values"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "type": "string",
        "enum": [
          "access"
        ]
      },
      "record": {
        "$ref": "#/$defs/record-name"
      },
      "values": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-value"
        },
        "maxItems": 1000
      },
      "extend": {
        "anyOf": [
          {
            "$ref": "#/$defs/handle"
          },
          {
            "type": "array",
            "items": {
              "$ref": "#/$defs/handle"
            },
            "maxItems": 100
          }
        ]
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "access-value": {
    "type": "object",
    "required": [
      "action"
    ],
    "properties": {
      "action": {
        "oneOf": [
          {
            "$ref": "#/$defs/access-action"
          },
          {
            "oneOf": [
              {
                "type": "object",
                "required": [
                  "$in"
                ],
                "properties": {
                  "$in": {
                    "type": "array",
                    "items": {
                      "$ref": "#/$defs/access-action"
                    },
                    "maxItems": 1000
                  }
                },
                "unevaluatedProperties": false
              },
              {
                "type": "object",
                "required": [
                  "$nin"
                ],
                "properties": {
                  "$nin": {
                    "type": "array",
                    "items": {
                      "$ref": "#/$defs/access-action"
                    },
                    "maxItems": 1000
                  }
                },
                "unevaluatedProperties": false
              }
            ]
          }
        ]
      },
      "record": {
        "oneOf": [
          {
            "$ref": "#/$defs/record-name"
          },
          {
            "oneOf": [
              {
                "type": "object",
                "required": [
                  "$in"
                ],
                "properties": {
                  "$in": {
                    "type": "array",
                    "items": {
                      "$ref": "#/$defs/record-name"
                    },
                    "maxItems": 1000
                  }
                },
                "unevaluatedProperties": false
              },
              {
                "type": "object",
                "required": [
                  "$nin"
                ],
                "properties": {
                  "$nin": {
                    "type": "array",
                    "items": {
                      "$ref": "#/$defs/record-name"
                    },
                    "maxItems": 1000
                  }
                },
                "unevaluatedProperties": false
              }
            ]
          }
        ]
      },
      "signer": {
        "$ref": "#/$defs/signer-matcher"
      },
      "bearer": {
        "anyOf": [
          {
            "type": "object",
            "properties": {
              "iss": {
                "$ref": "#/$defs/condition"
              },
              "sub": {
                "$ref": "#/$defs/condition"
              },
              "aud": {
                "$ref": "#/$defs/condition"
              },
              "hsh": {
                "type": "boolean"
              },
              "$signer": {
                "$ref": "#/$defs/signer-matcher"
              }
            },
            "propertyNames": {
              "pattern": "^([^$]|\\$signer$)"
            },
            "additionalProperties": true
          },
          {
            "type": "object",
            "required": [
              "$in"
            ],
            "properties": {
              "$in": {
                "type": "array",
                "items": {
                  "type": "object",
                  "properties": {
                    "iss": {
                      "$ref": "#/$defs/condition"
                    },
                    "sub": {
                      "$ref": "#/$defs/condition"
                    },
                    "aud": {
                      "$ref": "#/$defs/condition"
                    },
                    "hsh": {
                      "type": "boolean"
                    },
                    "$signer": {
                      "$ref": "#/$defs/signer-matcher"
                    }
                  },
                  "propertyNames": {
                    "pattern": "^([^$]|\\$signer$)"
                  },
                  "additionalProperties": true
                },
                "maxItems": 1000
              }
            },
            "unevaluatedProperties": false
          }
        ]
      },
      "filter": {
        "type": "object",
        "additionalProperties": {
          "$ref": "#/$defs/condition"
        },
        "maxProperties": 32
      },
      "invoke": {
        "type": "string",
        "maxLength": 255
      }
    },
    "unevaluatedProperties": false
  },
  "schedule-policy-data": {
    "type": "object",
    "required": [
      "handle",
      "action",
      "schema",
      "record",
      "inputs"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "action": {
        "type": "string",
        "enum": [
          "create"
        ]
      },
      "schema": {
        "type": "string",
        "enum": [
          "schedule"
        ]
      },
      "record": {
        "type": "string",
        "enum": [
          "report"
        ]
      },
      "inputs": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "config": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "values": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "cron"
          ],
          "properties": {
            "cron": {
              "type": "string",
              "maxLength": 256
            }
          },
          "unevaluatedProperties": false
        },
        "maxItems": 10
      },
      "extend": {
        "anyOf": [
          {
            "$ref": "#/$defs/handle"
          },
          {
            "type": "array",
            "items": {
              "$ref": "#/$defs/handle"
            },
            "maxItems": 100
          }
        ]
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "processing-policy-data": {
    "type": "object",
    "required": [
      "handle",
      "schema",
      "values"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "type": "string",
        "enum": [
          "processing"
        ]
      },
      "record": {
        "type": "string",
        "enum": [
          "anchor"
        ]
      },
      "values": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "schema",
            "action",
            "invoke"
          ],
          "properties": {
            "schema": {
              "type": "string",
              "enum": [
                "aspect"
              ]
            },
            "action": {
              "type": "string",
              "enum": [
                "read",
                "query",
                "create",
                "update",
                "drop",
                "sign"
              ]
            },
            "invoke": {
              "type": "object",
              "required": [
                "bridge"
              ],
              "properties": {
                "bridge": {
                  "$ref": "#/$defs/handle"
                }
              },
              "unevaluatedProperties": false
            },
            "config": {
              "type": "object",
              "properties": {
                "strategy": {
                  "type": "string",
                  "enum": [
                    "proxy",
                    "fallback",
                    "validate",
                    "synchronize"
                  ]
                }
              },
              "unevaluatedProperties": false
            },
            "filter": {
              "type": "object",
              "properties": {},
              "additionalProperties": true
            }
          },
          "unevaluatedProperties": false
        },
        "maxItems": 1000
      },
      "extend": {
        "anyOf": [
          {
            "$ref": "#/$defs/handle"
          },
          {
            "type": "array",
            "items": {
              "$ref": "#/$defs/handle"
            },
            "maxItems": 100
          }
        ]
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "authentication-policy-data": {
    "type": "object",
    "required": [
      "handle",
      "schema",
      "values"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "type": "string",
        "enum": [
          "authentication"
        ]
      },
      "record": {
        "$ref": "#/$defs/record-name"
      },
      "values": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "schema",
            "signer"
          ],
          "properties": {
            "schema": {
              "type": "string",
              "enum": [
                "oauth2"
              ]
            },
            "signer": {
              "type": "object",
              "required": [
                "handle"
              ],
              "properties": {
                "handle": {
                  "$ref": "#/$defs/handle"
                }
              },
              "unevaluatedProperties": false
            },
            "target": {
              "type": "object",
              "properties": {
                "schema": {
                  "$ref": "#/$defs/handle"
                }
              },
              "unevaluatedProperties": false
            },
            "config": {
              "type": "object",
              "properties": {
                "jwt.ttl": {
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 31536000
                }
              },
              "unevaluatedProperties": false
            }
          },
          "unevaluatedProperties": false
        },
        "maxItems": 1000
      },
      "extend": {
        "anyOf": [
          {
            "$ref": "#/$defs/handle"
          },
          {
            "type": "array",
            "items": {
              "$ref": "#/$defs/handle"
            },
            "maxItems": 100
          }
        ]
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "dtc-policy-data": {
    "type": "object",
    "required": [
      "handle",
      "schema",
      "values"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "type": "string",
        "enum": [
          "dtc"
        ]
      },
      "record": {
        "$ref": "#/$defs/record-name"
      },
      "values": {
        "type": "array",
        "items": {},
        "maxItems": 1000
      },
      "extend": {
        "anyOf": [
          {
            "$ref": "#/$defs/handle"
          },
          {
            "type": "array",
            "items": {
              "$ref": "#/$defs/handle"
            },
            "maxItems": 100
          }
        ]
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "other-policy-data": {
    "type": "object",
    "required": [
      "handle",
      "schema",
      "values"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "type": "string",
        "maxLength": 255,
        "pattern": "^(?!layout|access|status|labels|schedule|processing|authentication|dtc).*$"
      },
      "record": {
        "$ref": "#/$defs/record-name"
      },
      "values": {
        "type": "array",
        "items": {},
        "maxItems": 1000
      },
      "extend": {
        "anyOf": [
          {
            "$ref": "#/$defs/handle"
          },
          {
            "type": "array",
            "items": {
              "$ref": "#/$defs/handle"
            },
            "maxItems": 100
          }
        ]
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "schema-data": {
    "type": "object",
    "required": [
      "handle",
      "record",
      "format",
      "schema"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "record": {
        "type": "string",
        "enum": [
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
        ]
      },
      "format": {
        "type": "string",
        "enum": [
          "json-schema"
        ]
      },
      "schema": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "extend": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "effect-data": {
    "type": "object",
    "required": [
      "handle",
      "signal",
      "action"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "signal": {
        "$ref": "#/$defs/signal"
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "action": {
        "oneOf": [
          {
            "type": "object",
            "required": [
              "endpoint"
            ],
            "properties": {
              "schema": {
                "type": "string",
                "enum": [
                  "webhook"
                ]
              },
              "endpoint": {
                "type": "string",
                "maxLength": 2048
              }
            },
            "unevaluatedProperties": false
          },
          {
            "type": "object",
            "required": [
              "bridge"
            ],
            "properties": {
              "schema": {
                "type": "string",
                "enum": [
                  "bridge"
                ]
              },
              "bridge": {
                "$ref": "#/$defs/handle"
              }
            },
            "unevaluatedProperties": false
          }
        ]
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "signal": {
    "type": "string",
    "enum": [
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
    ]
  },
  "circle-data": {
    "type": "object",
    "required": [
      "handle"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "circle-signer-data": {
    "type": "object",
    "required": [
      "circle",
      "signer"
    ],
    "properties": {
      "circle": {
        "$ref": "#/$defs/handle"
      },
      "signer": {
        "$ref": "#/$defs/handle"
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "anchor-data": {
    "type": "object",
    "required": [
      "handle",
      "target"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "target": {
        "$ref": "#/$defs/anchor-target"
      },
      "wallet": {
        "$ref": "#/$defs/handle"
      },
      "symbol": {
        "$ref": "#/$defs/handle"
      },
      "source": {
        "$ref": "#/$defs/anchor-target"
      },
      "amount": {
        "type": "integer",
        "minimum": -9007199254740991,
        "maximum": 9007199254740991
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "anchor-target": {
    "anyOf": [
      {
        "type": "string",
        "minLength": 1
      },
      {
        "type": "object",
        "required": [
          "handle"
        ],
        "properties": {
          "handle": {
            "type": "string",
            "minLength": 1
          },
          "custom": {
            "type": "object",
            "properties": {},
            "additionalProperties": true
          }
        },
        "unevaluatedProperties": false
      }
    ]
  },
  "wallet-data": {
    "type": "object",
    "required": [
      "handle"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "bridge": {
        "$ref": "#/$defs/handle"
      },
      "routes": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/wallet-route"
        },
        "maxItems": 100
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "wallet-route": {
    "type": "object",
    "required": [
      "action"
    ],
    "properties": {
      "action": {
        "type": "string",
        "enum": [
          "debit",
          "credit",
          "accept",
          "forward"
        ]
      },
      "filter": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "target": {
        "$ref": "#/$defs/handle"
      }
    },
    "unevaluatedProperties": false
  },
  "intent-data": {
    "type": "object",
    "required": [
      "handle",
      "claims"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "claims": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/claim"
        },
        "minItems": 1,
        "maxItems": 100
      },
      "config": {
        "type": "object",
        "properties": {
          "commit": {
            "type": "string",
            "enum": [
              "auto",
              "manual"
            ]
          }
        },
        "unevaluatedProperties": false
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "claim": {
    "oneOf": [
      {
        "$ref": "#/$defs/issue-claim"
      },
      {
        "$ref": "#/$defs/transfer-claim"
      },
      {
        "$ref": "#/$defs/destroy-claim"
      },
      {
        "$ref": "#/$defs/limit-claim"
      }
    ]
  },
  "issue-claim": {
    "type": "object",
    "required": [
      "action",
      "target",
      "symbol",
      "amount"
    ],
    "properties": {
      "action": {
        "type": "string",
        "enum": [
          "issue"
        ]
      },
      "target": {
        "$ref": "#/$defs/claim-address"
      },
      "symbol": {
        "$ref": "#/$defs/claim-address"
      },
      "amount": {
        "type": "integer",
        "exclusiveMinimum": 0,
        "maximum": 9007199254740991
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      }
    },
    "unevaluatedProperties": false
  },
  "claim-address": {
    "anyOf": [
      {
        "$ref": "#/$defs/handle"
      },
      {
        "type": "object",
        "required": [
          "handle"
        ],
        "properties": {
          "handle": {
            "$ref": "#/$defs/handle"
          },
          "custom": {
            "type": "object",
            "properties": {},
            "additionalProperties": true
          }
        },
        "unevaluatedProperties": false
      }
    ]
  },
  "transfer-claim": {
    "type": "object",
    "required": [
      "action",
      "source",
      "target",
      "symbol",
      "amount"
    ],
    "properties": {
      "action": {
        "type": "string",
        "enum": [
          "transfer"
        ]
      },
      "source": {
        "$ref": "#/$defs/claim-address"
      },
      "target": {
        "$ref": "#/$defs/claim-address"
      },
      "symbol": {
        "$ref": "#/$defs/claim-address"
      },
      "amount": {
        "type": "integer",
        "exclusiveMinimum": 0,
        "maximum": 9007199254740991
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      }
    },
    "unevaluatedProperties": false
  },
  "destroy-claim": {
    "type": "object",
    "required": [
      "action",
      "source",
      "symbol",
      "amount"
    ],
    "properties": {
      "action": {
        "type": "string",
        "enum": [
          "destroy"
        ]
      },
      "source": {
        "$ref": "#/$defs/claim-address"
      },
      "symbol": {
        "$ref": "#/$defs/claim-address"
      },
      "amount": {
        "type": "integer",
        "exclusiveMinimum": 0,
        "maximum": 9007199254740991
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      }
    },
    "unevaluatedProperties": false
  },
  "limit-claim": {
    "type": "object",
    "required": [
      "action",
      "wallet",
      "symbol",
      "metric",
      "amount"
    ],
    "properties": {
      "action": {
        "type": "string",
        "enum": [
          "limit"
        ]
      },
      "wallet": {
        "$ref": "#/$defs/claim-address"
      },
      "symbol": {
        "$ref": "#/$defs/claim-address"
      },
      "metric": {
        "type": "string",
        "enum": [
          "minBalance",
          "maxBalance",
          "dailyAmount",
          "dailyCount"
        ]
      },
      "amount": {
        "type": "integer",
        "minimum": -9007199254740991,
        "maximum": 9007199254740991
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      }
    },
    "unevaluatedProperties": false
  },
  "symbol-data": {
    "type": "object",
    "required": [
      "handle",
      "factor"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "factor": {
        "type": "integer",
        "enum": [
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
        ]
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "bridge-data": {
    "type": "object",
    "required": [
      "handle",
      "config",
      "secure"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/handle"
      },
      "config": {
        "type": "object",
        "required": [
          "server"
        ],
        "properties": {
          "server": {
            "type": "string",
            "maxLength": 2048
          },
          "debits.claims.groupBy": {
            "type": "string",
            "enum": [
              "address",
              "wallet"
            ]
          },
          "credits.claims.groupBy": {
            "type": "string",
            "enum": [
              "address",
              "wallet"
            ]
          },
          "token.forward": {
            "type": "boolean",
            "description": "Whether it is sent the tokens of clients, and can act as they may."
          }
        },
        "unevaluatedProperties": false
      },
      "secure": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/security-rule"
        },
        "maxItems": 32
      },
      "traits": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/bridge-trait"
        },
        "maxItems": 32
      },
      "schema": {
        "$ref": "#/$defs/handle"
      },
      "custom": {
        "type": "object",
        "properties": {},
        "additionalProperties": true
      },
      "access": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/access-entry"
        },
        "maxItems": 1000
      }
    }
  },
  "security-rule": {
    "oneOf": [
      {
        "type": "object",
        "required": [
          "schema",
          "clientId",
          "clientSecret",
          "tokenUrl"
        ],
        "properties": {
          "schema": {
            "type": "string",
            "enum": [
              "oauth2"
            ]
          },
          "clientId": {
            "type": "string",
            "minLength": 1
          },
          "clientSecret": {
            "type": "string",
            "pattern": "^\\{\\{ secret\\.[A-Za-z]+[A-Za-z0-9]* \\}\\}$"
          },
          "tokenUrl": {
            "type": "string",
            "maxLength": 2048
          },
          "scope": {
            "type": "string"
          }
        },
        "additionalProperties": false
      },
      {
        "type": "object",
        "required": [
          "schema",
          "key",
          "value"
        ],
        "properties": {
          "schema": {
            "type": "string",
            "enum": [
              "header"
            ]
          },
          "key": {
            "type": "string",
            "maxLength": 255,
            "pattern": "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"
          },
          "value": {
            "type": "string",
            "pattern": "^\\{\\{ secret\\.[A-Za-z]+[A-Za-z0-9]* \\}\\}$"
          }
        },
        "additionalProperties": false
      },
      {
        "type": "object",
        "required": [
          "schema",
          "public",
          "secret"
        ],
        "properties": {
          "schema": {
            "type": "string"
          },
          "public": {
            "type": "string"
          },
          "secret": {
            "type": "string",
            "pattern": "^\\{\\{ secret\\.[A-Za-z]+[A-Za-z0-9]* \\}\\}$"
          }
        },
        "additionalProperties": false
      }
    ]
  },
  "bridge-trait": {
    "oneOf": [
      {
        "type": "string",
        "enum": [
          "debits",
          "credits",
          "statuses",
          "anchors",
          "domains",
          "effects",
          "ping"
        ]
      },
      {
        "type": "object",
        "required": [
          "method"
        ],
        "properties": {
          "method": {
            "type": "string",
            "enum": [
              "debits",
              "credits",
              "statuses",
              "anchors",
              "domains",
              "effects",
              "ping"
            ]
          },
          "filter": {
            "type": "object",
            "properties": {},
            "additionalProperties": true
          }
        },
        "unevaluatedProperties": false
      }
    ]
  }
};
