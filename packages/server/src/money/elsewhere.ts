/** Another process of this machine is the home of the ledger: the request is to go to it. Nothing is stored. */
export class Elsewhere extends Error {
  /** @param holder name of the home */
  constructor(readonly holder: string) {
    super('Another process is the home of the ledger.');
  }
}
