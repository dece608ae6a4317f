// The only thread of a command's store. A command waits for each operation, so a second thread would only make its start
// slower.

import { readerOperations } from './reader-operations.ts';
import { answerCalls } from './thread.ts';
import { writerOperations } from './writer-operations.ts';

const commandOperations = {
  ...readerOperations,
  ...writerOperations,
  close(): void {
    readerOperations.close();
    writerOperations.close();
  },
};

export type CommandOperations = typeof commandOperations;

answerCalls(commandOperations);
