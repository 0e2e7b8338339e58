// 1: dev.rlm:episodes-api
import dev.rlm.episodes.RewardFunction;
import dev.rlm.episodes.RewardProvider;
import dev.rlm.episodes.Trajectory;

class Page {
}
