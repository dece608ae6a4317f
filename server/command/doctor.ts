// `counterfoil doctor`: says in one line per subject whether anything needs a person's attention.

import type { Command } from 'commander';

import { dataDirectory } from '../data-location.ts';
import type { DiagnosisLine } from './diagnosis-lines.ts';
import { diagnose, type Diagnosis } from './diagnosis.ts';
import { type CommonOptions, inert, printJson, withCommonOptions } from './output.ts';
import { lineOf, nameOf, wordsOf, zoneNote, type Zones } from './task-text.ts';

export function bindDoctor(program: Command): void {
  withCommonOptions(
    program
      .command('doctor')
      .description(
        'examine the gateway, its data and its machine, one line per subject; exits with 1 if anything needs attention',
      ),
  ).action(examine);
}

async function examine(options: CommonOptions): Promise<void> {
  const diagnosis = await diagnose(dataDirectory(options.data), Date.now());
  if (!diagnosis.isWell) process.exitCode = 1;
  if (options.json === true) return printJson(describeDiagnosis(diagnosis));
  const { lines, zones } = diagnosis;
  const printed = lines.flatMap((line) => textsOf(line, zones));
  for (const { text } of printed) console.log(inert(text));
  const note = zoneNote(
    lines.flatMap(({ tasks }) => tasks),
    zones,
  );
  if (note !== undefined) console.log(`\n${inert(note)}`);
  const marked = printed.filter(({ needsAttention }) => needsAttention).length;
  console.log(
    `\n${marked === 0 ? 'Nothing needs attention.' : `Needs attention: ${marked} of ${printed.length} lines.`}`,
  );
}

/** A line has one text, or one for each task about its subject. A sentence about a further trouble comes first. */
function textsOf({ subject, needsAttention, isBad, sentence, tasks }: DiagnosisLine, zones: Zones) {
  const start = (needsAttention ? 'TO DO' : 'ok').padEnd(7) + subject.padEnd(13);
  const own = isBad || tasks.length === 0 ? [sentence] : [];
  return [...own, ...tasks.map((task) => lineOf(task, zones))].map((text) => ({ text: start + text, needsAttention }));
}

/** The diagnosis for JSON. It has no ids of sales and no notes of people. */
export function describeDiagnosis({ isWell, gateway, lines, zones }: Diagnosis) {
  return {
    ok: isWell,
    gateway,
    lines: lines.map(({ subject, lane, needsAttention, sentence, tasks }) => ({
      subject,
      lane,
      ok: !needsAttention,
      sentence,
      tasks: tasks.map((task) => ({
        task: nameOf(task),
        kind: task.fact.kind,
        administration: task.journal?.administration ?? null,
        mode: task.journal?.mode ?? null,
        ...wordsOf(task, zones),
        isUrgent: task.isUrgent,
      })),
    })),
  };
}
