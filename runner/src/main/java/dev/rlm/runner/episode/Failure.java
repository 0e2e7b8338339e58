package dev.rlm.runner.episode;

/**
 * A run that has failed.
 *
 * @param error why, as it was thrown: secrets in it are not redacted; empty where nothing is known
 */
public record Failure(String runId, String error) {}
