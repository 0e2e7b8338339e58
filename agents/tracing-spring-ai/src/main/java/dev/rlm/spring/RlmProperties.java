package dev.rlm.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of agents in an application; all other properties of {@code rlm} are those of the sinks.
 *
 * @param enabled whether anything is recorded
 * @param agentShare the share of calls of agents that is recorded, from 0 to 1
 */
@ConfigurationProperties("rlm")
public record RlmProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("1") double agentShare) {}
