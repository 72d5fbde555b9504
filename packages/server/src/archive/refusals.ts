/** An export or import that cannot be made, in words for the operator. */
export class ArchiveRefusal extends Error {
  override readonly name: string = 'ArchiveRefusal';
}

export class ExportRefused extends ArchiveRefusal {
  override readonly name = 'ExportRefused';
}

export class EraseRefused extends ArchiveRefusal {
  override readonly name = 'EraseRefused';
}

export class ImportRefused extends ArchiveRefusal {
  override readonly name = 'ImportRefused';
}
