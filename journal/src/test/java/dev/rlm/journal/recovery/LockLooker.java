package dev.rlm.journal.recovery;

import dev.rlm.journal.format.segment.WriterLock;
import java.io.IOException;
import java.nio.file.Path;

/** A process that tells by its exit code whether a folder's writer lives: 1 if it does. */
public final class LockLooker {
    private LockLooker() {}

    public static void main(String[] args) throws IOException {
        System.exit(WriterLock.isHeld(Path.of(args[0])) ? 1 : 0);
    }
}
