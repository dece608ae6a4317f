// The thread of a gateway that writes.

import { answerCalls, threadData } from './thread.ts';
import { openWriterOperations, type WriterData } from './writer-operations.ts';

answerCalls(openWriterOperations(threadData<WriterData>()));
