// The writer thread of a gateway.

import { answerCalls } from './thread.ts';
import { writerOperations } from './writer-operations.ts';

answerCalls(writerOperations);
