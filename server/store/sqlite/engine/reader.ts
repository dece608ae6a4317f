// The reader thread of a gateway.

import { readerOperations } from './reader-operations.ts';
import { answerCalls } from './thread.ts';

answerCalls(readerOperations);
