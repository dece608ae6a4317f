// The thread of a gateway that reads.

import { openReaderOperations } from './reader-operations.ts';
import { answerCalls, threadData } from './thread.ts';

answerCalls(openReaderOperations(threadData<{ path: string }>().path));
