package dev.rlm.engine;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.Sinks;
import java.util.Map;

/**
 * Context in which an engine works.
 *
 * @param master the address of the cluster; empty for the engine's own choice
 * @param settings the engine's own settings, by their names there
 * @param job description of the job for other processes
 * @param sinks the hub of the job, which is to have the record of all episodes
 * @param config configuration of the hub
 */
public record EngineContext(
        String master, Map<String, String> settings, JobDescription job, Sinks sinks, SinkConfig config) {}
