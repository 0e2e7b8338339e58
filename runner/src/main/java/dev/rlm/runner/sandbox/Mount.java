package dev.rlm.runner.sandbox;

import java.nio.file.Path;

/**
 * Folder of the machine that a sandbox shows.
 *
 * @param target its name inside, an absolute path
 * @param writable whether code may change it
 */
public record Mount(Path source, String target, boolean writable) {}
