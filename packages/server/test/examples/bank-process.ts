import { ExampleProcess } from './example-process.js';

/** The example of a bank, as a process of its own. */
export class BankProcess extends ExampleProcess {
  private constructor(readonly settings: Record<string, string>) {
    super('examples/bank/bank.mjs', settings);
  }

  /** Starts one, and waits until it listens. */
  static async start(settings: Record<string, string>): Promise<BankProcess> {
    const bank = new BankProcess(settings);
    await bank.listens(/^banking on (\S+) /m);
    return bank;
  }

  /** Starts it again where it listened before, from what is on its disk. */
  again(): Promise<BankProcess> {
    return BankProcess.start({ ...this.settings, PORT: new URL(this.url).port });
  }
}
