package dev.rlm.cli.doors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rlm.sinks.Activity;
import dev.rlm.sinks.Evaluation;
import dev.rlm.sinks.MessageParts;
import dev.rlm.sinks.ModelCall;
import dev.rlm.sinks.Reward;
import dev.rlm.sinks.Rewarded;
import dev.rlm.sinks.Run;
import dev.rlm.sinks.RunSpec;
import dev.rlm.sinks.Sinks;
import dev.rlm.sinks.Span;
import dev.rlm.sinks.Step;
import dev.rlm.sinks.ToolCall;
import dev.rlm.sinks.event.ArtifactSaved;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Message;
import dev.rlm.sinks.event.MessagePart;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.RewardGiven;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunInfo;
import dev.rlm.sinks.event.RunStarted;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.SpanRecorded;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.StepStarted;
import dev.rlm.sinks.event.ToolCalled;
import dev.rlm.sinks.testkit.Events;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Records runs through the recording interfaces, as an agent does that does what is told when it is told. */
final class HandlesDoor {
    private final List<Act> acts = new ArrayList<>();
    private final Map<Long, Activity> open = new HashMap<>(); // spans and evaluations, by number
    private final Map<Integer, Step> steps = new HashMap<>();
    private final Sinks sinks;
    private Run run = Run.NOOP;

    private HandlesDoor(Sinks sinks) {
        this.sinks = sinks;
    }

    /** Records the runs by the sinks of such a hub, which is given the time that they tell. */
    static void record(List<List<RunEvent>> runs, Sinks.Builder builder) {
        long[] now = {0};
        try (Sinks sinks = builder.clocks(() -> Events.START.plusNanos(now[0]), () -> now[0])
                .build()) {
            for (List<RunEvent> events : runs) {
                now[0] = 0;
                HandlesDoor door = new HandlesDoor(sinks);
                events.forEach(door::plan);
                door.acts.sort(Comparator.comparingLong(Act::nanos));
                for (Act act : door.acts) {
                    now[0] = act.nanos();
                    act.what().run();
                }
            }
            assertThat(sinks.flush(Duration.ofMinutes(1)).isComplete())
                    .as(String.valueOf(sinks.statuses()))
                    .isTrue();
        }
    }

    private void at(long nanos, Runnable what) {
        acts.add(new Act(nanos, what));
    }

    private void plan(RunEvent event) {
        long end = event.nanos();
        switch (event.type()) {
            case RUN_STARTED -> at(end, () -> run = sinks.startRun(spec(((RunStarted) event).run())));
            case STEP_STARTED -> at(end, () -> startStep((StepStarted) event));
            case MODEL_CALLED -> plan((ModelCalled) event);
            case TOOL_CALLED -> plan((ToolCalled) event);
            case SPAN_RECORDED -> plan((SpanRecorded) event);
            case REWARD_GIVEN -> plan((RewardGiven) event);
            case ARTIFACT_SAVED -> at(end, () -> keep((ArtifactSaved) event));
            case STEP_ENDED -> at(end, () -> endStep((StepEnded) event));
            case RUN_ENDED -> at(end, () -> endRun((RunEnded) event));
            default -> throw new IllegalArgumentException(event.type() + " is the hub's own");
        }
    }

    private static RunSpec spec(RunInfo info) {
        RunSpec.Builder spec = RunSpec.builder(info.environment())
                .runId(info.runId())
                .task(info.task().text())
                .model(info.model())
                .maxSteps(info.maxSteps())
                .passReward(Objects.requireNonNull(info.passReward()))
                .correlation(info.correlation())
                .tags(info.tags());
        info.params().forEach(spec::param);
        if (info.agent() != null) {
            spec.agent(info.agent(), info.agentVersion());
        }
        if (info.expectedAnswer() != null) {
            spec.expectedAnswer(info.expectedAnswer().text());
        }
        if (info.seed() != null) {
            spec.seed(info.seed());
        }
        if (info.parent() != null) {
            spec.parent(info.parent());
        }
        return spec.build();
    }

    private Rewarded place(int step) {
        return step == RunEvent.NO_STEP ? run : Objects.requireNonNull(steps.get(step));
    }

    private Activity place(int step, long parentSeq) {
        return parentSeq == 0 ? place(step) : Objects.requireNonNull(open.get(parentSeq));
    }

    private void startStep(StepStarted start) {
        steps.put(
                start.step(),
                place(start.parentStep()).startStep(start.observation().text()));
    }

    private void plan(ModelCalled told) {
        ModelCall[] call = {ModelCall.NOOP};
        at(told.startNanos(), () -> {
            call[0] = place(told.step(), told.parentSeq()).startModelCall(told.provider(), told.model());
            told.messages().forEach(message -> show(call[0], message));
        });
        if (told.firstTokenNanos() != null) {
            at(told.firstTokenNanos(), () -> call[0].firstToken());
        }
        at(told.nanos(), () -> end(call[0], told));
    }

    private static void show(ModelCall call, Message message) {
        if (!message.parts().isEmpty()) {
            call.messageParts(message.role(), parts -> message.parts().forEach(part -> add(part, parts)));
        } else if (message.toolCallId() != null) {
            call.toolMessage(message.toolCallId(), message.content().text());
        } else {
            call.message(message.role(), message.content().text());
            message.toolCalls()
                    .forEach(asked -> call.shownToolRequest(
                            asked.id(), asked.tool(), asked.arguments().text()));
        }
    }

    private static void add(MessagePart part, MessageParts parts) {
        switch (part.type()) {
            case TEXT -> parts.text(part.text().text());
            case REASONING -> parts.reasoning(part.text().text());
            case TOOL_CALL ->
                parts.toolCall(
                        Objects.requireNonNull(part.id()),
                        Objects.requireNonNull(part.tool()),
                        part.text().text());
            case IMAGE -> parts.image(Objects.requireNonNull(part.uri()), part.mediaType(), part.sha256());
            default -> throw new IllegalArgumentException(part.type() + " is not told");
        }
    }

    private static void end(ModelCall call, ModelCalled told) {
        told.parameters().forEach(call::parameter);
        call.retries(told.retries()).usage(told.usage());
        if (told.serverAddress() != null) {
            call.server(told.serverAddress(), told.serverPort());
        }
        if (told.systemInstructions() != null) {
            call.systemInstructions(told.systemInstructions().text());
        }
        if (told.toolDefinitions() != null) {
            call.toolDefinitions(told.toolDefinitions().text());
        }
        if (told.reply() != null) {
            Message reply = told.reply();
            if (reply.parts().isEmpty()) {
                call.reply(reply.content().text());
                reply.toolCalls()
                        .forEach(asked -> call.toolRequest(
                                asked.id(), asked.tool(), asked.arguments().text()));
            } else {
                call.replyParts(parts -> reply.parts().forEach(part -> add(part, parts)));
            }
        }
        if (told.responseId() != null) {
            call.response(told.responseId(), told.responseModel());
        }
        if (told.costAmount() != null) {
            call.cost(told.costAmount(), Objects.requireNonNull(told.costCurrency()));
        }
        if (told.tokens() != null) {
            call.tokens(told.tokens(), told.tokens().responseTexts());
        }
        if (told.finishReason() != null) {
            call.finishReason(told.finishReason());
        }
        if (told.error() != null) {
            call.fail(told.error().text());
        }
        call.close();
    }

    private void plan(ToolCalled told) {
        ToolCall[] call = {ToolCall.NOOP};
        at(
                told.startNanos(),
                () -> call[0] = place(told.step(), told.parentSeq()).startToolCall(told.tool()));
        at(told.nanos(), () -> {
            call[0].arguments(told.arguments().text())
                    .provider(told.provider())
                    .callId(told.callId())
                    .retries(told.retries());
            told.attributes().forEach(call[0]::attribute);
            told.documents().forEach(found -> call[0].document(found.id(), found.score(), found.sha256()));
            if (told.error() == null) {
                call[0].result(told.result().text());
            } else {
                call[0].fail(told.statusCode(), told.error().text());
            }
            call[0].close();
        });
    }

    private void plan(SpanRecorded told) {
        at(
                told.startNanos(),
                () -> open.put(told.seq(), place(told.step(), told.parentSeq()).span(told.name())));
        at(told.nanos(), () -> {
            Span span = (Span) Objects.requireNonNull(open.get(told.seq()));
            told.attributes().forEach(span::attribute);
            if (told.error() != null) {
                span.fail(told.error().text());
            }
            span.close();
        });
    }

    private void plan(RewardGiven told) {
        Reward reward = Reward.of(told.value())
                .components(told.components())
                .label(told.label())
                .explanation(text(told.explanation()))
                .kind(told.kind())
                .min(told.min())
                .max(told.max())
                .build();
        if (told.startNanos() < told.nanos()) {
            at(told.startNanos(), () -> open.put(told.seq(), place(told.step()).startEvaluation(told.source())));
            at(told.nanos(), () -> ((Evaluation) Objects.requireNonNull(open.get(told.seq()))).reward(reward));
        } else if (told.isAbsent()) {
            at(
                    told.nanos(),
                    () -> place(told.step()).rewardAbsent(told.source(), Objects.requireNonNull(told.absence())));
        } else if (told.solved() != null) { // after the run's end
            at(
                    told.nanos(),
                    () -> assertThat(sinks.reward(told.run().runId(), told.source(), reward))
                            .isTrue());
        } else {
            at(told.nanos(), () -> place(told.step()).reward(told.source(), reward));
        }
    }

    private void keep(ArtifactSaved told) {
        Activity place = place(told.step());
        if (told.content() == null) {
            place.artifact(Path.of("there-is-no", told.name()));
        } else {
            byte[] bytes = new byte[told.content().weight()];
            told.content().bytes().get(bytes);
            place.artifact(told.name(), told.mediaType(), bytes);
        }
    }

    private void endStep(StepEnded told) {
        if (StepEnded.ABORTED.equals(told.errorType())) {
            return; // with its run
        }
        Step step = Objects.requireNonNull(steps.get(told.step()));
        step.action(told.actionType(), told.code().text());
        step.state(told.stateBefore(), told.stateAfter());
        told.tags().forEach(step::tag);
        if (told.error() == null) {
            step.complete(told.output().text());
        } else {
            step.fail(told.output().text(), told.error().text());
        }
    }

    private void endRun(RunEnded told) {
        told.metrics().forEach(run::metric);
        if (told.initialState() != null) {
            run.initialState(told.initialState());
        }
        switch (told.outcome()) {
            case COMPLETED -> {
                String reason = Objects.requireNonNull(told.terminationReason());
                if (told.truncated()) {
                    run.truncate(reason, text(told.finalAnswer()));
                } else {
                    run.complete(text(told.finalAnswer()), reason);
                }
            }
            case FAILED -> {
                Throwable thrown = new IllegalStateException(told.status().message());
                if (told.status().code() == RunStatus.INTERNAL) {
                    run.fail(thrown); // nothing tells the code
                } else {
                    run.fail(told.status().code(), thrown);
                }
            }
            case ABORTED -> run.abort(told.status().message());
            case ABANDONED -> throw new IllegalArgumentException("a program tells no death of its own");
        }
    }

    private static @Nullable String text(@Nullable Content content) {
        return content == null ? null : content.text();
    }

    /** Something that is done at a time. */
    private record Act(long nanos, Runnable what) {}
}
