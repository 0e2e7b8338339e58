package dev.rlm.sinks.traced;

import java.util.Comparator;
import java.util.Spliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** A stream's chunks, noted as the agent pulls them. */
final class ChunkStream<T> implements Spliterator<T> {
    private final Spliterator<T> source;
    private final Chunks<T> chunks;

    private ChunkStream(Spliterator<T> source, Chunks<T> chunks) {
        this.source = source;
        this.chunks = chunks;
    }

    /** The stream, whose end, failure or close is the end of the reply. */
    static <T> Stream<T> of(Stream<T> stream, Chunks<T> chunks) {
        return StreamSupport.stream(new ChunkStream<>(stream.spliterator(), chunks), stream.isParallel())
                .onClose(stream::close)
                .onClose(chunks::end);
    }

    @Override
    @SuppressWarnings("CatchThrowable") // and thrown on
    public boolean tryAdvance(Consumer<? super T> action) {
        boolean more;
        try {
            more = source.tryAdvance(chunks.before(action));
        } catch (Throwable e) {
            chunks.failed(e);
            throw e;
        }
        if (!more) {
            chunks.end();
        }
        return more;
    }

    @Override
    @SuppressWarnings("CatchThrowable") // and thrown on
    public void forEachRemaining(Consumer<? super T> action) {
        try {
            source.forEachRemaining(chunks.before(action));
        } catch (Throwable e) {
            chunks.failed(e);
            throw e;
        }
        chunks.end();
    }

    /** Chunks come one after the other. */
    @Override
    public @Nullable Spliterator<T> trySplit() {
        return null;
    }

    @Override
    public long estimateSize() {
        return source.estimateSize();
    }

    @Override
    public int characteristics() {
        return source.characteristics();
    }

    @Override
    public @Nullable Comparator<? super T> getComparator() {
        return source.getComparator();
    }
}
