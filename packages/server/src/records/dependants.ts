import type { JsonObject, RecordEnvelope } from '@countersign/protocol';
import type { Kind } from '../kinds/kind.js';
import type { Ledger } from '../ledgers/ledger.js';
import type { Service } from '../service.js';
import { stepsOfText } from '../work/task.js';

/**
 * Why a record may not go away under its handle: others name it.
 *
 * @returns the first refusal, or nothing
 */
export async function refusedByDependants(
  service: Service,
  ledger: Ledger,
  kind: Kind,
  handle: string,
): Promise<{ detail: string; custom?: JsonObject } | undefined> {
  for (const dependants of kind.dependants ?? []) {
    const bodies = await service.store.linked({ ledger: ledger.id, kind: dependants.kind, link: handle, limit: 100 });
    if (bodies.length === 0) continue;
    const handles: string[] = [];
    for (const body of bodies) {
      await service.task.turn(stepsOfText(body));
      handles.push((JSON.parse(body) as RecordEnvelope).data.handle as string);
    }
    return dependants.refusal(handle, handles);
  }
  return undefined;
}
