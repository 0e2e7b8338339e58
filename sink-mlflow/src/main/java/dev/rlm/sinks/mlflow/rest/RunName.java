package dev.rlm.sinks.mlflow.rest;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Name of one of MLflow's runs, as people read it.
 *
 * @param subject what it is a run of
 * @param model who acts first; empty where nobody does
 * @param end tells it from others of the subject
 */
public record RunName(String subject, String model, String end) {
    /** The text, for so many models: of several none is named. */
    public String text(int models) {
        return Stream.of(subject, models > 1 ? models + " models" : model, end)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" "));
    }
}
