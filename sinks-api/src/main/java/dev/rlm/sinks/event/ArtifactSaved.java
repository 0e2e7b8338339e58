package dev.rlm.sinks.event;

import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A file was kept that belongs to the run, or could not be. Its name and its path are labels: nothing is opened by them.
 *
 * @param mediaType such as {@code text/plain}
 * @param size in bytes; those of {@code content} where there is one
 * @param sha256 of its bytes, as 64 hexadecimal digits; empty where they are absent
 * @param path where it lies: in a journal {@code artifacts/<sha256>} beside the line's own file, else where it was
 * @param absence why its bytes were not kept, in a word such as {@code too_large}; {@code null} where they were
 * @param content its bytes, for sinks that keep them; {@code null} if only the rest is known
 */
@RecordBuilder
public record ArtifactSaved(
        RunInfo run,
        long seq,
        long nanos,
        @Recorded(absent = "0", min = 0) int step,
        @Recorded(required = true) String name,
        @Recorded(standard = "application/octet-stream") String mediaType,
        @Recorded(min = 0) long size,
        String sha256,
        String path,
        @Recorded(since = 2) @Nullable String absence,
        @Nullable FileContent content)
        implements RunEvent {
    public ArtifactSaved {
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(0, step, "step");
        Checks.atLeast(0, size, "size");
        Checks.notBlank(name, "artifact name");
    }

    @Override
    public long size() {
        return content == null || content.absence() != null
                ? size
                : content.bytes().remaining();
    }

    @Override
    public String sha256() {
        return content == null || content.absence() != null ? sha256 : content.sha256();
    }

    @Override
    public @Nullable String absence() {
        return content == null || absence != null ? absence : content.absence();
    }

    @Override
    public EventType type() {
        return EventType.ARTIFACT_SAVED;
    }
}
