package dev.rlm.sinks.event;

/**
 * A file was kept that belongs to the run.
 *
 * @param mediaType such as {@code text/plain}
 * @param size in bytes
 * @param sha256 of its bytes, as 64 hexadecimal digits
 * @param path where it lies
 */
public record ArtifactSaved(
        RunInfo run,
        long seq,
        long nanos,
        int step,
        String name,
        String mediaType,
        long size,
        String sha256,
        String path)
        implements RunEvent {
    public ArtifactSaved {
        Checks.atLeast(1, seq, "seq");
        Checks.atLeast(0, step, "step");
        Checks.atLeast(0, size, "size");
        Checks.notBlank(name, "artifact name");
    }
}
