package dev.rlm.recorder;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Lines that have been read and not yet taken, bounded in number and in bytes. One thread puts, one takes. */
final class LineQueue {
    private static final int MAX_LINES = 4_096;

    private final Deque<RawLine> lines = new ArrayDeque<>();
    private final int maxWeight;
    private int weight;
    private boolean ended;

    LineQueue(int maxWeight) {
        this.maxWeight = maxWeight;
    }

    /** Adds a line, once there is room for it. One that is larger than all room waits until it is alone. */
    synchronized void put(RawLine line) throws InterruptedException {
        while (!ended && !lines.isEmpty() && (lines.size() >= MAX_LINES || weight + line.weight() > maxWeight)) {
            wait();
        }
        lines.add(line);
        weight += line.weight();
        notifyAll();
    }

    /** No more lines come, or none are wanted. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /** All lines there are, once there is one; none at the end. */
    synchronized List<RawLine> take() throws InterruptedException {
        while (!ended && lines.isEmpty()) {
            wait();
        }
        List<RawLine> taken = new ArrayList<>(lines);
        lines.clear();
        weight = 0;
        notifyAll();
        return taken;
    }
}
