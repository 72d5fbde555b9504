/** Texts of the pages that watch a ledger. */
export const watchText = {
  title: 'Changes as they come',
  about: 'Looked for every few seconds while this page is in sight; each record is checked here.',
  waiting: 'Nothing has changed since this page was opened.',
  count: (count: number) => `${count} ${count === 1 ? 'change' : 'changes'} seen, each checked here`,
  moment: 'Time',
  kind: 'Kind',
  record: 'Record',
  status: 'Status',
  by: 'Last proof',
  deliveries: 'Deliveries',
  none: 'Nothing was delivered yet.',
  attempts: (count: number) => `${count} ${count === 1 ? 'attempt' : 'attempts'}`,
  request: 'What was sent',
  noRequest: 'Nothing yet.',
  answers: 'What came of each attempt',
  receive: 'Try effects out on your own machine',
  receiveAbout:
    'This command shows each event that is sent to http://127.0.0.1:4070/, and verifies both signatures by the key that this browser remembers. Give that address to an effect as its endpoint.',
  receiveHint: 'The server must run on the same machine, and be started with DELIVERY_ALLOW_PRIVATE=true.',
  retry: 'Try it again',
  retryAll: 'Retry deliveries',
} as const;
