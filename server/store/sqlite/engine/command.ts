// The thread of a command that reads and writes. A command waits for each operation, so two threads would only make it slower.

import { openReaderOperations, type ReaderOperations } from './reader-operations.ts';
import { answerCalls, threadData } from './thread.ts';
import { openWriterOperations, type WriterData, type WriterOperations } from './writer-operations.ts';

/** The reader may have none of the writer's operations except `close`, because both lists become one. */
type OtherNames = { readonly [K in Exclude<keyof WriterOperations, 'close'>]?: never };

const data = threadData<WriterData>();
const reader: ReaderOperations & OtherNames = openReaderOperations(data.path);
const writer = openWriterOperations(data);
const operations = {
  ...reader,
  ...writer,
  close(): void {
    try {
      reader.close();
    } finally {
      writer.close();
    }
  },
};

export type CommandOperations = ReaderOperations & WriterOperations;

answerCalls(operations);
