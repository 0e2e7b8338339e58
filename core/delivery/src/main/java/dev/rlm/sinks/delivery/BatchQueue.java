package dev.rlm.sinks.delivery;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/** Items that wait, in their order. Guarded by the {@link Batcher}. */
final class BatchQueue<T> {
    private final BatchSender<T> sender;
    private final int maxItems;
    private final long maxSize;
    private final Deque<T> items = new ArrayDeque<>();
    private long size;

    BatchQueue(BatchSender<T> sender, BatchLimits limits) {
        this.sender = sender;
        this.maxItems = limits.maxItems();
        this.maxSize = limits.maxSize();
    }

    boolean isEmpty() {
        return items.isEmpty();
    }

    int count() {
        return items.size();
    }

    /** Returns about what they take in requests. */
    long size() {
        return size;
    }

    void add(T item) {
        items.add(item);
        size += sender.size(item);
    }

    boolean fillsBatch() {
        return items.size() >= maxItems || size >= maxSize;
    }

    /** Moves as many to the batch as it has room for. */
    void moveTo(List<T> batch) {
        long filled = batch.stream().mapToLong(sender::size).sum();
        int looked = 0;
        Iterator<T> next = items.iterator();
        while (next.hasNext() && batch.size() < maxItems && looked++ < maxItems) {
            T item = next.next();
            long more = sender.size(item);
            if (batch.isEmpty() || sender.group(item).equals(sender.group(batch.get(0)))) {
                if (!batch.isEmpty() && filled + more > maxSize) {
                    return;
                }
                next.remove();
                batch.add(item);
                filled += more;
                size -= more;
            }
        }
    }

    List<T> takeAll() {
        List<T> all = List.copyOf(items);
        items.clear();
        size = 0;
        return all;
    }
}
