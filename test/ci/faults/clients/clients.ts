/** Starts all clients. */

import type { Trial } from "../trial.ts";
import type { Link } from "./downloads.ts";
import { type Files, keepFiles } from "./files.ts";
import { keepLedgers, type Ledger } from "./ledger.ts";
import { keepNotes, type Notes } from "./notes.ts";
import { type Operators, operate } from "./operator.ts";
import { type Processes, runProcesses } from "./processes.ts";
import { sendStrangers } from "./strangers.ts";
import { type Embed, receiveVisitors, type Visitors } from "./visitors.ts";

export interface Clients {
  readonly ledger: Ledger;
  readonly notes: Notes;
  readonly files: Files;
  readonly processes: Processes;
  readonly visitors: Visitors;
  readonly operators: Operators;
  /** Links that service tasks sent to the receiver. */
  readonly sentLinks: readonly Link[];
  /** Resolves when all clients have stopped. Rejects if one of them fails. */
  readonly stopped: Promise<unknown>;
}

export function startClients(trial: Trial, embeds: readonly Embed[], sentLinks: readonly Link[]): Clients {
  const ledger = keepLedgers(trial);
  const notes = keepNotes(trial);
  const files = keepFiles(trial);
  const processes = runProcesses(trial);
  const visitors = receiveVisitors(trial, embeds);
  const operators = operate(trial);
  const loops = [ledger, notes, files, processes, visitors, operators].flatMap((clients) => clients.loops);
  const stopped = Promise.all([...loops, ...sendStrangers(trial)]);
  return { ledger, notes, files, processes, visitors, operators, sentLinks, stopped };
}
