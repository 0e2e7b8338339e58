// 4: dev.rlm:tracing-adk dev.rlm:sink-jsonl com.google.adk:google-adk:${version.adk}
import com.google.adk.agents.LlmAgent;
import com.google.adk.runner.InMemoryRunner;
import dev.rlm.adk.RecordingPlugin;
import dev.rlm.sinks.traced.AgentRuns;
import java.util.List;

class Page {
    LlmAgent agent;
}
