package dev.rlm.runs.scan;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.ModelCalled;
import dev.rlm.sinks.event.Outcome;
import dev.rlm.sinks.event.RunEnded;
import dev.rlm.sinks.event.RunEvent;
import dev.rlm.sinks.event.RunStatus;
import dev.rlm.sinks.event.StepEnded;
import dev.rlm.sinks.event.ToolCalled;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Failures of sandboxes, tools and servers that are not the agent's doing, and that it did not get over. */
final class Faults {
    private static final int BEGINNING = 1_000; // characters of an error that are looked at
    private static final String TRACEBACK = "Traceback"; // of the agent's own code

    private static final Pattern BROKEN = Pattern.compile("(?i)"
            + "\\b(?:sandbox|container|docker|kernel|interpreter|browser|virtual machine|vm|(?:tool|mcp|language) server)\\b"
            + "[^\\n]{0,60}?\\b(?:died|crashed|was killed|is gone|has gone|not running|(?:not |un)reachable"
            + "|unavailable|not available|(?:could not|cannot) be started|failed to start|exited unexpectedly"
            + "|disconnected|was lost|(?:did|does) not respond|not responding)\\b"
            + "|cannot connect to the docker daemon|no space left on device"
            + "|\\b(?:502 bad gateway|503 service unavailable|504 gateway time-?out)\\b");

    private static final Pattern NETWORK = Pattern.compile("(?i)"
            + "\\bconnection (?:refused|reset|aborted|timed out|closed)|\\b(?:read|connect|request) timed out"
            + "|temporary failure in name resolution|\\b(?:econnrefused|econnreset|etimedout)\\b"
            + "|\\b(?:UnknownHost|Connect|SocketTimeout|HttpTimeout|HttpConnectTimeout|NoRouteToHost)Exception\\b"
            + "|\\bAPI(?:Connection|Timeout)Error\\b");

    private static final Pattern SERVER = Pattern.compile("(?i)"
            + "\\b(?:http|status|code|error)(?: code)?[ :=/]*(?:429|5\\d\\d)\\b|\\boverloaded\\b"
            + "|\\binternal server error\\b|\\btoo many requests\\b|\\brate limit (?:exceeded|reached)\\b");

    private static final Pattern ADDRESS = Pattern.compile(
            "(?i)://|localhost|127\\.0\\.0\\.1|\\bcurl\\b|\\bwget\\b|\\bping\\b|\\bwww\\.|\"(?:url|host)\"");

    private Faults() {}

    static List<Citation> of(ScannedRun run) {
        RunEnded end = run.end();
        List<Citation> found = new ArrayList<>();
        if (end.solved()) {
            return found;
        }
        List<ToolCalled> tools = run.tools();
        for (int i = 0; i < tools.size(); i++) {
            ToolCalled tool = tools.get(i);
            if (tool.failed()
                    && tools.subList(i + 1, tools.size()).stream()
                            .noneMatch(later -> later.tool().equals(tool.tool()) && !later.failed())) {
                tool(tool, found);
            }
        }
        List<StepEnded> steps = run.steps();
        for (int i = 0; i < steps.size(); i++) {
            StepEnded step = steps.get(i);
            if (!step.success()
                    && !text(step.error()).contains(TRACEBACK)
                    && steps.subList(i + 1, steps.size()).stream()
                            .noneMatch(later -> later.actionType().equals(step.actionType()) && later.success())) {
                cite(step, step.error(), step.code().text(), found, BROKEN);
            }
        }
        ModelCalled last = run.lastCall();
        if (last != null && last.error() != null && end.outcome() != Outcome.COMPLETED) {
            cite(last, last.error(), "", found, BROKEN, NETWORK, SERVER);
        }
        if (end.outcome() == Outcome.FAILED && found.isEmpty()) {
            end(end, found);
        }
        return found;
    }

    private static void tool(ToolCalled tool, List<Citation> found) {
        String arguments = tool.arguments().text();
        if (tool.statusCode() == RunStatus.UNAVAILABLE) {
            found.add(Citation.of(tool, tool.tool() + " is not available: " + text(tool.error())));
        } else if (ADDRESS.matcher(arguments).find()) { // which may be a wrong one
            cite(tool, tool.error(), arguments, found, BROKEN);
        } else {
            cite(tool, tool.error(), arguments, found, BROKEN, NETWORK);
        }
    }

    private static void end(RunEnded end, List<Citation> found) {
        String type = Objects.requireNonNullElse(end.errorType(), "");
        String error = type + ": " + text(end.error());
        if (end.status().code() == RunStatus.UNAVAILABLE) {
            found.add(Citation.of(end, error));
        } else {
            cite(end, Content.redacted(error), "", found, BROKEN, NETWORK);
        }
    }

    /** Cites an error that one of the patterns is found in, unless the agent itself has said so. */
    private static void cite(
            RunEvent event, @Nullable Content error, String said, List<Citation> found, Pattern... patterns) {
        String text = text(error);
        for (Pattern pattern : patterns) {
            Matcher fault = pattern.matcher(text);
            if (fault.find() && !said.contains(fault.group())) {
                found.add(Citation.of(event, text, fault.start()));
                return;
            }
        }
    }

    private static String text(@Nullable Content error) {
        return error == null ? "" : error.preview(BEGINNING);
    }
}
