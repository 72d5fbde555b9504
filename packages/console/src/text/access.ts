/** Texts of the page about rules. */
export const accessText = {
  title: 'Who may do what',
  intro: 'Rules only grant: what no rule grants is refused.',

  ask: 'What could a key do? Why was it refused?',
  whose: 'Whose key',
  mine: 'Who is signed in',
  other: 'Another public key',
  key: 'Public key, base64',
  badKey: 'A public key has 44 characters, the last of which is “=”.',
  on: 'On',
  ledgerItself: 'the ledger itself',
  handle: 'Handle or luid',
  handleAbout: 'Empty: on such records in general.',
  action: 'Action',
  every: 'every action',
  askDo: 'Ask',
  signIn: 'Sign in first: the ledger answers only who signs. Or ask for a public key.',

  granted: 'granted',
  refused: 'refused',
  perhaps: 'cannot be determined here',
  by: 'By which rules',
  noRule: 'No rule grants it.',
  more: (count: number) => `and ${count} more`,
  near: 'Rules that come near',
  rule: 'Rule',
  gateClosed: 'The gate is closed: no rule lets this key enter the ledger, so that no other rule counts.',
  gateUnknown: 'Whether this key may enter the ledger cannot be determined here.',
  verdict: (action: string, record: string, isGranted: boolean) =>
    `${isGranted ? 'Granted' : 'Refused'}: ${action} on ${record}`,
  restsOnLedger:
    'The ledger answered and signed these checks for the signer who is signed in. The rules shown beside them are only those that you may read.',
  restsOnRules:
    'This rests on the rules and circles that you may read, applied in this browser: the ledger itself answers only for who signs.',
  knownAs: (handles: string) => `Signers with this key: ${handles}.`,
  knownAsNobody: 'No signer with this key was found.',

  letRead: {
    title: 'Let somebody read',
    about:
      'Whoever has the key may read everything in this ledger, and change nothing. They make a key under “Sign in”, and send you its public half.',
    submit: 'Let this key read',
    signIn: 'Sign in first, with a key that may change this ledger.',
    done: 'The key may read now.',
    byPolicies: 'This needs an active access policy',
    byPoliciesAbout:
      'This ledger is policy-based, so a rule of the ledger has no effect. Make an access policy with a rule for the key, and give it the status “active”.',
  },

  matrix: 'Rules',
  byRecords:
    'The rules of the ledger, and of policies that they refer to. Records and domains may have rules of their own: ask about one above.',
  byPolicies: 'This ledger is policy-based: only the values of active access policies count.',
  caption: 'Actions by kinds of record: each letter is one of those below; with *, only on some records.',
  kind: 'Records',
  noRules: 'You may read no rules.',
  whoTitle: 'Who',
  ofLedger: (at: number) => `rule ${at} of the ledger`,
  ofPolicy: (at: number, policy: string) => `value ${at} of the policy ${policy}`,
  limited: 'only records that match its filter or condition',
  members: 'Members',
  noMembers: 'nobody',
  membersHidden: 'its members may not be read',
  membersMore: 'and more',
  morePolicies: (count: number) => `Only ${count} policies were read: there are more.`,
  missing: (policy: string) => `The policy ${policy} was not found, or may not be read.`,
  erase: '“any” does not stand for erase, which must be named.',
} as const;
