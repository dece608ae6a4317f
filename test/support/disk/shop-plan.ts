// What a shop on a recorded disk does (shop.ts).

export interface ShopPlan {
  readonly dataDir: string;
  /**
   * Path of a file. It gets one line for each acknowledged sale, with its id, one for each acknowledged delivery, with
   * "delivered" and the id, and one for each refused sale, with "refused" and the error code.
   */
  readonly acknowledged: string;
  readonly from: number;
  readonly to: number;
  /** Checkpoints the write-ahead log after this number of sales. */
  readonly checkpointEvery: number;
  /**
   * At the end, packs the bodies, and then archives those of all sales, while the till sells a few more. Every sale is delivered, and
   * eleven sales fill a pack.
   */
  readonly archives?: true;
  /** Before the sale with this number, another connection begins a read that does not end. */
  readonly readFrom?: number;
  /**
   * What the shop does if the store refuses a sale: it ends like a crash, repeats the sale until the store accepts it, or
   * continues with the next sale.
   */
  readonly onRefusal: 'die' | 'repeat' | 'give up';
}

/** The beginning of stderr if the store refuses to start. */
export const FAILED_START = 'the start failed: ';
/** Lines of the file `acknowledged`: packing begins; a pack was made; all bodies are archived. */
export const PACKING = 'packing';
export const PACKED = 'packed';
export const ARCHIVED = 'archived';
