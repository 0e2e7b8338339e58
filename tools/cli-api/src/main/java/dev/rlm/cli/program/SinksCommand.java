package dev.rlm.cli.program;

import dev.rlm.cli.SinkOptions;
import dev.rlm.cli.Verb;
import dev.rlm.cli.terminal.Ink;
import dev.rlm.cli.terminal.JsonOutput;
import dev.rlm.cli.terminal.Table;
import dev.rlm.sinks.SinkProvider.Variable;
import dev.rlm.sinks.SinkStatus;
import dev.rlm.sinks.Sinks;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonGenerator;

/** The verb {@code sinks}: lists the sinks that are found, how they stand and what they can be told. */
@Command(
        name = "sinks",
        mixinStandardHelpOptions = true,
        description = "Lists the sinks that are found, how they stand (on, off, not available) and the variables that"
                + " they read.")
public final class SinksCommand extends Verb {
    private static final int FAILED = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Mixin
    private SinkOptions sinkOptions = new SinkOptions();

    @Option(
            names = "--check",
            description = "Ask each enabled sink whether it could deliver now: delivers, or not available; exit code 1"
                    + " where one could not.")
    private boolean check;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    protected int execute() {
        List<SinkStatus> statuses;
        SinkVariables variables;
        try (Sinks sinks = sinkOptions.open(config())) {
            statuses = check ? sinks.check(PATIENCE) : sinks.statuses();
            variables = new SinkVariables(config(), sinks.providers());
        }
        if (json) {
            printJson(statuses, variables);
        } else {
            print(statuses, variables);
        }
        boolean failed = check && statuses.stream().anyMatch(status -> status.enabled() && !status.available());
        return failed ? FAILED : 0;
    }

    private void print(List<SinkStatus> statuses, SinkVariables variables) {
        Table sinks = new Table(List.of("sink", "state", "detail"), Set.of());
        for (SinkStatus status : statuses) {
            sinks.row(status.name(), state(status), status.detail());
        }
        sinks.print(out(), Ink.NONE);
        out().println();
        printFacts(statuses);
        if (!check) {
            printVariables(variables);
        }
        out().flush();
    }

    private void printFacts(List<SinkStatus> statuses) {
        Table facts = new Table(List.of("sink", "fact", "value"), Set.of());
        statuses.forEach(status ->
                status.facts().forEach((name, value) -> facts.row(status.name(), name, String.valueOf(value))));
        if (statuses.stream().anyMatch(status -> !status.facts().isEmpty())) {
            facts.print(out(), Ink.NONE);
            out().println();
        }
    }

    private void printVariables(SinkVariables variables) {
        Table settings = new Table(List.of("variable", "default", "meaning"), Set.of());
        variables.all().forEach(variable -> settings.row(variable.name(), variable.defaultValue(), variable.meaning()));
        settings.print(out(), Ink.NONE);
    }

    /** Tells how it stands: a sink that is on has not been asked for anything yet, unless it is to be checked. */
    private String state(SinkStatus status) {
        if (!status.available()) {
            return "not available";
        }
        return !status.enabled() ? "off" : check ? "delivers" : "on";
    }

    private void printJson(List<SinkStatus> statuses, SinkVariables variables) {
        JsonOutput.print(out(), generator -> {
            generator.writeArrayPropertyStart("sinks");
            statuses.forEach(status -> sink(generator, status, state(status), variables.of(status.name())));
            generator.writeEndArray();
        });
    }

    private static void sink(JsonGenerator generator, SinkStatus status, String state, List<Variable> variables) {
        generator.writeStartObject();
        generator.writeStringProperty("name", status.name());
        generator.writeBooleanProperty("enabled", status.enabled());
        generator.writeStringProperty("state", state.replace(' ', '_'));
        if (status.available() && !status.enabled()) {
            generator.writeNullProperty("available"); // unknown: the sink was not asked
        } else {
            generator.writeBooleanProperty("available", status.available());
        }
        generator.writeStringProperty("detail", status.detail());
        if (!status.facts().isEmpty()) {
            generator.writeObjectPropertyStart("facts");
            status.facts().forEach((name, value) -> fact(generator, name, value));
            generator.writeEndObject();
        }
        generator.writeArrayPropertyStart("variables");
        for (Variable variable : variables) {
            generator.writeStartObject();
            generator.writeStringProperty("name", variable.name());
            generator.writeStringProperty("default", variable.defaultValue());
            generator.writeStringProperty("meaning", variable.meaning());
            generator.writeEndObject();
        }
        generator.writeEndArray();
        generator.writeEndObject();
    }

    private static void fact(JsonGenerator generator, String name, Object value) {
        if (value instanceof Long || value instanceof Integer) {
            generator.writeNumberProperty(name, ((Number) value).longValue());
        } else if (value instanceof Number number) {
            JsonOutput.number(generator, name, number.doubleValue());
        } else {
            generator.writeStringProperty(name, String.valueOf(value));
        }
    }
}
