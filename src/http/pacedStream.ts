/** Ends a stream whose reader has stopped, because what makes the stream may hold a connection to the database. */

/** How long a reader may take for one piece. 128 KiB in 30 seconds is a very slow phone. */
export const readerStallMs = 30_000;

/** The same stream. It fails if a piece was not taken within `stallMs`, and cancels its source. */
export function pacedStream(source: ReadableStream<Uint8Array>, stallMs: number): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveUp = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const reason = new Error("the reader of an answer took too long");
    controller.error(reason);
    reader.cancel(reason).catch(() => {});
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(timer);
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        timer = setTimeout(giveUp, stallMs, controller);
      },
      cancel: (reason) => {
        clearTimeout(timer);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
