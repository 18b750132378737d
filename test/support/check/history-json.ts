import { createRequire } from 'node:module';
import type { Client } from '@temporalio/client';

/** A workflow's history as the SDK represents it. */
export type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;

type Codec = {
  toJson(type: unknown, message: unknown): unknown;
  fromJson(type: unknown, json: unknown, options: { ignoreUnknownFields: boolean }): History;
};

// The SDK's own historyToJSON fails with "type must be a Type" if @temporalio/common and @temporalio/proto each have their own copy of
// protobufjs, as in our lock file: the type comes from one copy and the writer from the other. Here both come from proto's.
const requireOfCommon = createRequire(createRequire(import.meta.url).resolve('@temporalio/common'));
const requireOfProto = createRequire(requireOfCommon.resolve('@temporalio/proto'));
// `as`: these two are what @temporalio/common 1.24 itself calls; a test writes and reads every history through them.
const { toJson, fromJson } = requireOfProto('protobufjs/ext/protojson') as Codec;
const root = requireOfCommon('@temporalio/proto') as {
  lookupType(name: string): { fromObject(value: unknown): unknown };
};
const historyType = root.lookupType('temporal.api.history.v1.History');

/** Returns the format that the Temporal CLI and UI write too. */
export const historyToJson = (history: History): unknown => toJson(historyType, historyType.fromObject(history));

/** Throws for anything that is not a history in that format. */
export const historyFromJson = (json: unknown): History => fromJson(historyType, json, { ignoreUnknownFields: true });
