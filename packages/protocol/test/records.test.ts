import { expectTypeOf, test } from 'vitest';
import type {
  AccessRule,
  Change,
  ErrorBody,
  JsonObject,
  List,
  Proof,
  RecordEnvelope,
  StoredProof,
} from '../src/index.js';

test('what goes over the wire is JSON to the compiler, so it can be hashed without a cast', () => {
  expectTypeOf<RecordEnvelope>().toExtend<JsonObject>();
  expectTypeOf<Change>().toExtend<JsonObject>();
  expectTypeOf<List>().toExtend<JsonObject>();
  expectTypeOf<ErrorBody>().toExtend<JsonObject>();
  expectTypeOf<AccessRule>().toExtend<JsonObject>();
  expectTypeOf<StoredProof>().toExtend<Proof>();
});
