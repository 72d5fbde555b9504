/** An export or import that cannot be made, in words for the operator. */
export class Refused extends Error {
  override readonly name: string = 'Refused';
}

export class ExportRefused extends Refused {
  override readonly name = 'ExportRefused';
}

export class EraseRefused extends Refused {
  override readonly name = 'EraseRefused';
}

export class ImportRefused extends Refused {
  override readonly name = 'ImportRefused';
}
